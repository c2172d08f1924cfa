import type { Argument } from '../arguments/options.ts';
import { type CommandError, usageError } from '../exits.ts';
import { readBytes } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { writeNote } from '../terminal/report.ts';
import { readItems, splitItem } from './request-items.ts';

/** A request to sign and send, its URL in the form that goes over the wire. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly body: Uint8Array | undefined;
  /** Unsigned header lines. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The source of the body, for printing a command that reads it again. */
  readonly bodySource: 'none' | 'text' | 'input' | { readonly file: string };
}

export const requestOptions = {
  data: {
    type: 'string',
    short: 'd',
    placeholder: 'BODY',
    help: "The body: text, @FILE for a file's bytes, or @- for standard input. Sent unchanged.",
  },
  header: {
    type: 'string',
    short: 'H',
    multiple: true,
    placeholder: "'NAME: VALUE'",
    help: 'A header to add. Signature headers, Host and Content-Length are set for you.',
  },
  form: {
    type: 'boolean',
    short: 'f',
    help: 'Send the ITEMs as a form, multipart if one uploads a file.',
  },
  nonce: { type: 'boolean', help: 'Add the nonce parameter, for services that require it.' },
} as const;

export const requestArguments: readonly Argument[] = [
  { name: 'METHOD', help: 'GET, POST, and so on.' },
  { name: 'URL', help: 'The full URL, or a path if the credentials have a baseUrl. Quote it.' },
  {
    name: 'ITEM',
    help: 'A body member, header or parameter, as described below.',
    optional: true,
    isRepeated: true,
  },
];

export interface RequestValues {
  readonly data: string | undefined;
  readonly header: readonly string[];
  readonly form?: boolean;
}

/**
 * Builds the request that a command line describes. Throws a CommandError if it could not be sent.
 *
 * @param profile the kind of another profile than the service's own that signs it
 */
export async function buildRequest(
  positionals: readonly string[],
  values: RequestValues,
  baseUrl: string | undefined,
  io: Io,
  profile?: 'agent' | 'profile',
): Promise<OutgoingRequest> {
  const [methodText = '', urlText = '', ...words] = positionals;
  const method = checkedMethod(methodText);
  const items = await readItems(words.map(splitItem), values.form ?? false, io);
  if (items.body !== undefined && values.data !== undefined)
    throw usageError('The body is set both by -d and by ITEMs. Use only one.');
  const url = withQuery(absoluteUrl(urlText, baseUrl, io), items.query);
  const headers = [...values.header, ...items.headers].map((text) => readHeaderOption(text, profile));
  const { body, bodySource } = items.body
    ? { body: items.body.bytes, bodySource: 'text' as const }
    : await readBody(values.data, io);
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const type = items.body?.contentType ?? (body && isJson(body) ? 'application/json' : undefined);
  if (type !== undefined && !hasType) headers.unshift(['Content-Type', type]);
  return { method, url, body, headers, bodySource };
}

function checkedMethod(text: string): string {
  if (/^(?:https?:|\/)/i.test(text))
    throw usageError(`The method comes first: countersign request GET ${text}`);
  const method = text.toUpperCase();
  if (!/^[!#$%&'*+.^_`|~0-9A-Z-]{1,64}$/.test(method))
    throw usageError(`"${text}" is not a method such as GET or POST.`);
  if (method === 'CONNECT') throw usageError('CONNECT opens a tunnel, which has no URL to sign.');
  return method;
}

/**
 * Normalises the URL before signing, because the signed text must equal the sent text: changes that a URL
 * parser makes (spaces, `/../`, an upper-case host) must happen now.
 */
function absoluteUrl(text: string, baseUrl: string | undefined, io: Io): string {
  if (text.startsWith('/') && baseUrl === undefined) {
    throw usageError(
      `"${text}" is only a path. Give the whole URL, like https://api.example.com${text}, or a baseUrl: in the ` +
        `credentials file, or as COUNTERSIGN_BASE_URL.`,
    );
  }
  const url = URL.parse(text.startsWith('/') ? `${baseUrl}${text}` : text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw notAUrl(text);
  if (url.username !== '' || url.password !== '') {
    throw usageError('The URL contains a user or password. Remove it: the signature identifies the caller.');
  }
  if (url.hash !== '') {
    writeNote(io, `the fragment ${url.hash} is left out: it is never sent`);
    url.hash = '';
  }
  return url.href.replace(/#$/, '');
}

/** Appends parameters to those of the URL. */
function withQuery(url: string, query: readonly (readonly [name: string, value: string])[]): string {
  if (query.length === 0) return url;
  const more = query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const joint = url.includes('?') ? (/[?&]$/.test(url) ? '' : '&') : '?';
  return `${url}${joint}${more}`;
}

function notAUrl(text: string): CommandError {
  // Text with an @ may contain a password.
  const shown = text.includes('@') ? 'This' : `"${text}"`;
  return usageError(`${shown} is not an http or https URL such as https://api.example.com/v1/whoami.`);
}

async function readBody(
  data: string | undefined,
  io: Io,
): Promise<Pick<OutgoingRequest, 'body' | 'bodySource'>> {
  if (data === undefined || data === '') return { body: undefined, bodySource: 'none' };
  if (!data.startsWith('@')) return { body: new TextEncoder().encode(data), bodySource: 'text' };
  const file = data.slice(1);
  if (file === '') throw usageError('-d @ needs a file: -d @FILE, or -d @- for standard input.');
  const bytes = await readBytes(io, file, 'body file');
  if (bytes.length === 0) writeNote(io, `the body is empty, so the request has none`);
  return {
    body: bytes.length === 0 ? undefined : bytes,
    bodySource: bytes.length === 0 ? 'none' : file === '-' ? 'input' : { file },
  };
}

function isJson(body: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
    return true;
  } catch {
    return false;
  }
}

/** Header lines that control connection, framing or signature, each with the reason to omit it. */
const reserved: ReadonlyMap<string, string> = new Map([
  ...['signature', 'signature-input', 'content-digest', 'date'].map((name): [string, string] => [
    name,
    'It is part of the signature, and is set for you.',
  ]),
  ['host', 'It is made from the URL, which is signed.'],
  ...['content-length', 'transfer-encoding', 'trailer', 'te'].map((name): [string, string] => [
    name,
    'It is set for you: the body is sent unchanged.',
  ]),
  ...['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'expect'].map((name): [string, string] => [
    name,
    'Each request here has its own connection.',
  ]),
]);

function reservedFor(name: string, profile: 'agent' | 'profile' | undefined): string | undefined {
  if (name === 'signature-agent' && profile === 'agent') return '--signature-agent sets it.';
  // Only the service's own profile sets it.
  if (name === 'date' && profile !== undefined) return undefined;
  return reserved.get(name);
}

/**
 * Reads `Name: value`. Throws a usage error for anything that might turn into more than one header line, above all
 * line ends, and for lines that this program adds itself.
 */
function readHeaderOption(
  text: string,
  profile: 'agent' | 'profile' | undefined,
): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw usageError(`The header ${JSON.stringify(text)} does not have the form 'Name: value'.`);
  }
  if (!/^[\x20-\x7e\t]*$/.test(value)) {
    throw usageError(
      `The value of the header ${name} has line ends or other characters that are not visible ASCII.`,
    );
  }
  const instead = reservedFor(name.toLowerCase(), profile);
  if (instead !== undefined) throw usageError(`Leave out the header ${name}. ${instead}`);
  return [name, value.trimEnd()];
}
