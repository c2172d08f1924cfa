import { CommandError, usageError } from '../command-error.ts';
import { readBytes } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { readRawRequest } from '../verifying/raw-request.ts';
import { isCurlCommand, readCurlCommand } from './curl-command.ts';
import { isJsonText, readHarEntry } from './har-entry.ts';
import { headerValues, type RequestToExplain } from './request-to-explain.ts';
import { headOfVerboseOutput, isVerboseOutput } from './verbose-output.ts';

/** What the options say of the request. */
export interface RequestSource {
  /** Undefined or `-`: standard input. */
  readonly file: string | undefined;
  readonly entry: string | undefined;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly header: readonly string[];
  readonly 'body-file': string | undefined;
}

/**
 * Reads a request in whatever form it comes: options, HTTP, a command line of curl or its verbose output, HAR. Throws
 * CommandError with what to do when there is none to read.
 */
export async function readRequestToExplain(source: RequestSource, io: Io): Promise<RequestToExplain> {
  const isByOptions = source.method !== undefined || source.url !== undefined || source.header.length > 0;
  if (isByOptions && source.file !== undefined)
    throw usageError('Give the request as FILE or with --method, --url and --header, not both.');
  const request = isByOptions ? readOptions(source) : await readSource(source, io);
  const bodyFile = source['body-file'];
  return {
    ...request,
    headers: request.headers.map(([name, value]): [string, string] => [name, asOnWire(value)]),
    ...(bodyFile !== undefined && {
      body: await readBytes(io, bodyFile, 'body file'),
      warnings: request.warnings.filter((warning) => !warning.includes('--body-file')),
    }),
  };
}

function readOptions({ method, url, header, 'body-file': bodyFile }: RequestSource): RequestToExplain {
  if (method === undefined || url === undefined)
    throw usageError('A request that is given by options needs --method, --url and its --header lines.');
  const given = header.map(readHeaderLine);
  const host = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (host === undefined)
    throw usageError(
      '--url must be the whole URL as it was called, like https://api.example.com/v1/payments.',
    );
  const headers: [string, string][] =
    headerValues(given, 'host').length > 0 ? given : [['Host', host], ...given];
  const hadBody =
    headerValues(given, 'content-digest').length > 0 ||
    Number(headerValues(given, 'content-length')[0] ?? 0) > 0;
  return {
    source: 'the options',
    method,
    target: url,
    headers,
    body: hadBody ? undefined : new Uint8Array(),
    warnings: hadBody && bodyFile === undefined ? [bodyUnknown] : [],
  };
}

const bodyUnknown = 'The body is not known, so its digest is not compared. Give it with --body-file FILE.';

/** Not as strict as for sending: what is wrong with a line is what shall be explained. */
function readHeaderLine(text: string): [name: string, value: string] {
  const [, name, value] = /^([^:\s]+):[ \t]*([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw usageError(`The header ${JSON.stringify(text)} is not of the form 'Name: value'.`);
  return [name, value];
}

async function readSource({ file = '-', entry }: RequestSource, io: Io): Promise<RequestToExplain> {
  const bytes = await readBytes(io, file, 'request');
  const start = textOf(bytes.subarray(0, recognisedBytes));
  if (start.trim() === '')
    throw unreadable(
      'There is no request to explain: the input is empty. Give a file, or the request on standard input. See: countersign explain --help',
    );
  if (entry !== undefined && !isJsonText(start))
    throw usageError('--entry chooses from a HAR archive, and this is none.');
  const isText = isJsonText(start) || isCurlCommand(start) || isVerboseOutput(start);
  if (!isText) return readHttp(bytes, 'an HTTP request');
  if (bytes.length > textBytesMax)
    throw unreadable(`The input has more than ${textBytesMax} bytes. Take the one request out of it.`);
  if (isJsonText(start)) return readHarEntry(textOf(bytes), entry);
  if (isCurlCommand(start)) return readCurlCommand(textOf(bytes), io);
  return readHttp(Buffer.from(headOfVerboseOutput(textOf(bytes))), 'verbose output');
}

/** Enough to tell what a text is; a request may have a large body. */
const recognisedBytes = 64 * 1024;
const textBytesMax = 256 * 1024 * 1024;

function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function unreadable(message: string): CommandError {
  return new CommandError('local', 'request_unreadable', message);
}

function readHttp(bytes: Buffer, source: string): RequestToExplain {
  const raw = readRawRequest(wholeHead(bytes), { keepsFolds: true });
  if (!raw.ok) {
    throw unreadable(
      `This is no request that can be read: ${raw.reason}. Give an HTTP request (request line, headers, an empty line, ` +
        'the body), a command line of curl, or a HAR entry; or use --method, --url and --header.',
    );
  }
  const { method, target, headers, body, warnings } = raw;
  const isBodyMissing =
    body.length === 0 &&
    (Number(headerValues(headers, 'content-length')[0] ?? 0) > 0 ||
      (source === 'verbose output' && headerValues(headers, 'content-digest').length > 0));
  return isBodyMissing
    ? { source, method, target, headers, body: undefined, warnings: [bodyUnknown] }
    : { source, method, target, headers, body, warnings };
}

/** A head alone often comes without the empty line, and from HTTP/2 with that version; neither is what went wrong. */
function wholeHead(bytes: Buffer): Buffer {
  const lineEnd = bytes.indexOf(0x0a);
  const first = bytes.subarray(0, lineEnd < 0 ? bytes.length : lineEnd).toString('latin1');
  const asHttp1 = first.replace(/ HTTP\/[23](?:\.0)?(?=\r?$)/, ' HTTP/1.1');
  const rest = lineEnd < 0 ? Buffer.alloc(0) : bytes.subarray(lineEnd);
  const whole = Buffer.concat([Buffer.from(asHttp1, 'latin1'), rest]);
  const hasEnd = /\r?\n\r?\n/.test(whole.subarray(0, 64 * 1024).toString('latin1'));
  return hasEnd ? whole : Buffer.concat([whole, Buffer.from(rest.at(-1) === 0x0a ? '\r\n' : '\r\n\r\n')]);
}

/** A header as a server reads it: one character for each byte. */
function asOnWire(value: string): string {
  // What was read from HTTP has that form already.
  return /[^\u0000-\u00ff]/.test(value) ? Buffer.from(value).toString('latin1') : value;
}
