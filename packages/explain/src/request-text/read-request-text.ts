import { readHttpDate } from '@countersign/signature';
import { concatBytes, latin1Bytes, latin1Text, utf8Bytes, utf8Text } from '../byte-text.ts';
import { isCurlCommand, readCurlCommand, type ReadFile } from './curl-command.ts';
import { isJsonText, readHarEntry } from './har-entry.ts';
import { headerValues, type PastedRequest } from './pasted-request.ts';
import { readRawRequest } from './raw-request.ts';
import { type RequestNote, RequestTextError } from './request-text-error.ts';

export interface RequestTextOptions {
  /** For an archive: the entry's number (from 1) or part of its URL. */
  readonly entry?: string | undefined;
  /** Reads a file that a curl line names as its body. Without it, such a line is rejected. */
  readonly readFile?: ReadFile | undefined;
}

/**
 * Reads a request from HTTP, a curl command line or its verbose output, or HAR. Runs and sends nothing. Throws a
 * RequestTextError that says why there is no request to read.
 */
export async function readRequestText(
  bytes: Uint8Array,
  { entry, readFile }: RequestTextOptions = {},
): Promise<PastedRequest> {
  const start = textOf(bytes.subarray(0, recognizedBytes));
  if (start.trim() === '') throw unreadable('There is no request to explain: the input is empty.');
  if (entry !== undefined && !isJsonText(start))
    throw new RequestTextError(
      'incomplete',
      'Only a HAR archive has entries to choose from, and this is not one.',
    );
  const isText = isJsonText(start) || isCurlCommand(start) || isVerboseOutput(start);
  if (!isText) return asOnWire(readHttp(bytes, 'an HTTP request'));
  if (bytes.length > textBytesMax)
    throw unreadable(`The input has more than ${textBytesMax} bytes. Enter only the one request.`);
  const text = textOf(bytes);
  if (isJsonText(start)) return asOnWire(readHarEntry(text, entry));
  if (isCurlCommand(start)) return asOnWire(await readCurlCommand(text, readFile));
  return asOnWire(readVerboseOutput(text));
}

/** A request given field by field. */
export interface RequestFields {
  readonly method: string;
  /** The whole URL as called. */
  readonly url: string;
  /** Lines of the form `Name: value`. */
  readonly headers: readonly string[];
  /** Undefined if unknown; treated as none if no header announces a body. */
  readonly body: Uint8Array | undefined;
}

/** Builds a request from its fields. Throws a RequestTextError that says what is missing. */
export function requestOfFields({ method, url, headers: lines, body }: RequestFields): PastedRequest {
  const given = lines.map(readHeaderLine);
  const host = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (host === undefined)
    throw new RequestTextError(
      'incomplete',
      'Enter the full URL as you called it, like https://api.example.com/v1/payments.',
    );
  const headers: [string, string][] =
    headerValues(given, 'host').length > 0 ? given : [['Host', host], ...given];
  const hadBody =
    headerValues(given, 'content-digest').length > 0 ||
    Number(headerValues(given, 'content-length')[0] ?? 0) > 0;
  const isUnknown = body === undefined && hadBody;
  return asOnWire({
    source: 'the fields',
    method,
    target: url,
    headers,
    body: isUnknown ? undefined : (body ?? new Uint8Array()),
    notes: isUnknown ? [bodyUnknown] : [],
  });
}

/** Adds a body given separately and drops the notes about its absence. */
export function withBody(request: PastedRequest, body: Uint8Array): PastedRequest {
  return { ...request, body, notes: request.notes.filter(({ advice }) => advice !== 'give-body') };
}

const bodyUnknown: RequestNote = {
  text: 'The body is not known, so its digest is not compared.',
  advice: 'give-body',
};

/** Enough to recognize the format without reading a large body. */
const recognizedBytes = 64 * 1024;
const textBytesMax = 256 * 1024 * 1024;

/** More lenient than for sending: a broken line may be the very mistake to explain. */
function readHeaderLine(text: string): [name: string, value: string] {
  const [, name, value] = /^([^:\s]+):[ \t]*([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new RequestTextError(
      'incomplete',
      `The header ${JSON.stringify(text)} is not of the form 'Name: value'.`,
    );
  return [name, value];
}

function textOf(bytes: Uint8Array): string {
  return utf8Text(bytes).replace(/^\ufeff/, '');
}

function unreadable(message: string): RequestTextError {
  return new RequestTextError('unreadable', message);
}

function readHttp(bytes: Uint8Array, source: string): PastedRequest {
  const raw = readRawRequest(wholeHead(bytes), { keepsFolds: true });
  if (!raw.ok) {
    throw new RequestTextError(
      'unreadable',
      `We couldn't parse this request: ${raw.reason}. Enter an HTTP request (request line, headers, an empty line, ` +
        'the body), a curl command line, or a HAR entry.',
      'give-fields',
    );
  }
  const { method, target, headers, body, warnings } = raw;
  const isBodyMissing =
    body.length === 0 &&
    (Number(headerValues(headers, 'content-length')[0] ?? 0) > 0 ||
      (source === 'verbose output' && headerValues(headers, 'content-digest').length > 0));
  return isBodyMissing
    ? { source, method, target, headers, body: undefined, notes: [bodyUnknown] }
    : { source, method, target, headers, body, notes: warnings.map((text) => ({ text })) };
}

/** A head alone often lacks its empty line, and HTTP/2 tools print that version. Neither is the caller's mistake. */
function wholeHead(bytes: Uint8Array): Uint8Array {
  const lineEnd = bytes.indexOf(0x0a);
  const first = latin1Text(bytes.subarray(0, lineEnd < 0 ? bytes.length : lineEnd));
  const asHttp1 = first.replace(/ HTTP\/[23](?:\.0)?(?=\r?$)/, ' HTTP/1.1');
  const rest = lineEnd < 0 ? new Uint8Array() : bytes.subarray(lineEnd);
  const whole = concatBytes([latin1Bytes(asHttp1), rest]);
  const hasEnd = /\r?\n\r?\n/.test(latin1Text(whole.subarray(0, recognizedBytes)));
  return hasEnd ? whole : concatBytes([whole, latin1Bytes(rest.at(-1) === 0x0a ? '\r\n' : '\r\n\r\n')]);
}

/** Recognizes what `curl -v` or `countersign request -v` prints: sent lines start with `> `. */
function isVerboseOutput(text: string): boolean {
  return requestLine.test(text);
}

const requestLine = /^> \S+ \S+ HTTP\/[\d.]+\r?$/m;

/** Reads the last request, as sent. Verbose output does not include bodies. */
function readVerboseOutput(text: string): PastedRequest {
  const lines = text.split(/\r?\n/);
  const exchange = lines.slice(lines.findLastIndex((line) => requestLine.test(line)));
  const headEnd = exchange.findIndex((line) => !line.startsWith('> ') || line.trim() === '>');
  const head = exchange.slice(0, headEnd < 0 ? undefined : headEnd).map((line) => line.slice(2));
  const date = exchange.map((line) => /^< date: (.+)$/i.exec(line)?.[1]).find((one) => one !== undefined);
  return {
    ...readHttp(utf8Bytes(`${head.join('\r\n')}\r\n\r\n`), 'verbose output'),
    recordedSeconds: readHttpDate(date ?? ''),
  };
}

/** Converts headers to what a server reads: one character for each byte. */
function asOnWire(request: PastedRequest): PastedRequest {
  const headers = request.headers.map(([name, value]): [string, string] => [
    name,
    // Headers read from HTTP have that form already.
    /[^\u0000-\u00ff]/.test(value) ? latin1Text(utf8Bytes(value)) : value,
  ]);
  return { ...request, headers };
}
