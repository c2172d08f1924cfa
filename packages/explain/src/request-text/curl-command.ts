import { concatBytes, utf8Bytes, utf8Text } from '../byte-text.ts';
import { withoutDotSegments } from '../reading/url-parts.ts';
import { headerValues, type PastedRequest } from './pasted-request.ts';
import { incomplete, type RequestNote } from './request-text-error.ts';
import { splitShellWords } from './shell-words.ts';

export function isCurlCommand(text: string): boolean {
  return /^\s*(?:[$%#>]\s+)?curl(?:\.exe)?\s/.test(text);
}

/**
 * Reads the request that a curl command line sends, without running it. Reads files that it names as the body
 * if the program can. Throws RequestTextError for details that the line does not show.
 */
export async function readCurlCommand(text: string, readFile?: ReadFile): Promise<PastedRequest> {
  const { words, endedBy } = splitShellWords(text.replace(/^\s*(?:[$%#>]\s+)?/, ''));
  const given = readOptions(words.slice(1));
  const notes: RequestNote[] = [];
  if (endedBy === '&')
    notes.push({ text: 'An & without quotes ends the command for a shell: what follows it is left out.' });
  const [url, second] = given.urls;
  if (url === undefined)
    throw incomplete('The curl line has no URL. Enter the whole line as you ran it, with its URL.');
  if (second !== undefined)
    notes.push({ text: `The curl line has several URLs; the first one is used: ${url}` });
  const data = await readData(given, readFile);
  const target = calledUrl(url, given, data, notes);
  const body = given.flags.has('get') ? new Uint8Array() : data;
  return {
    source: 'a curl command line',
    method: methodOf(given),
    target,
    headers: headersOf(given, target, body),
    body,
    notes,
  };
}

/** Reads a file that a curl line names. */
export type ReadFile = (path: string) => Promise<Uint8Array>;

interface Given {
  readonly urls: string[];
  readonly headers: string[];
  readonly data: { readonly option: string; readonly value: string }[];
  readonly flags: Set<string>;
  request: string | undefined;
  upload: string | undefined;
}

/** The options that affect the request, by long name. */
const meanings: Readonly<Record<string, (given: Given, value: string, option: string) => void>> = {
  url: ({ urls }, value) => void urls.push(value),
  header: ({ headers }, value) => void headers.push(value),
  request: (given, value) => void (given.request = value),
  data: addData,
  'data-ascii': addData,
  'data-binary': addData,
  'data-raw': addData,
  'data-urlencode': addData,
  json(given, value, option) {
    addData(given, value, option);
    given.headers.push('Content-Type: application/json', 'Accept: application/json');
  },
  'upload-file': (given, value) => void (given.upload = value),
  'user-agent': ({ headers }, value) => void headers.push(`User-Agent: ${value}`),
  referer: ({ headers }, value) => void headers.push(`Referer: ${value}`),
  cookie: ({ headers }, value) => void headers.push(`Cookie: ${value}`),
};

const shortNames: Readonly<Record<string, string>> = {
  H: 'header',
  X: 'request',
  d: 'data',
  T: 'upload-file',
  A: 'user-agent',
  e: 'referer',
  b: 'cookie',
  G: 'get',
  I: 'head',
  g: 'globoff',
  F: 'form',
  u: 'user',
  o: 'output',
  m: 'max-time',
  x: 'proxy',
  w: 'write-out',
  E: 'cert',
  c: 'cookie-jar',
  D: 'dump-header',
  K: 'config',
  r: 'range',
  Y: 'speed-limit',
  y: 'speed-time',
  z: 'time-cond',
  C: 'continue-at',
  P: 'ftp-port',
  Q: 'quote',
  t: 'telnet-option',
  U: 'proxy-user',
};

/** Options with a value that do not affect what is signed. */
const otherValues: ReadonlySet<string> = new Set(
  (
    'form user output max-time proxy write-out cert cookie-jar dump-header config range speed-limit speed-time time-cond ' +
    'continue-at ftp-port quote telnet-option proxy-user cacert capath cert-type ciphers connect-timeout connect-to key ' +
    'key-type pass resolve retry retry-delay retry-max-time interface limit-rate max-redirs max-filesize noproxy ' +
    'oauth2-bearer trace trace-ascii unix-socket form-string stderr tls-max tls13-ciphers pinnedpubkey dns-servers ' +
    'local-port keepalive-time expect100-timeout proto proto-default proto-redir socks5 socks5-hostname output-dir ' +
    'aws-sigv4 netrc-file request-target url-query variable variable'
  ).split(' '),
);

/** Options that affect the request in a way that the line does not show. */
const unreadable: Readonly<Record<string, string>> = {
  form: 'a multipart body (--form) has a boundary that curl makes up',
  'form-string': 'a multipart body (--form-string) has a boundary that curl makes up',
  config: 'its options are in another file (--config)',
  'aws-sigv4': 'curl signs it in another way (--aws-sigv4)',
  'request-target': 'it names another request target (--request-target)',
  'url-query': 'it adds to the query (--url-query)',
};

function addData({ data }: Given, value: string, option: string): void {
  data.push({ option, value });
}

function readOptions(words: readonly string[]): Given {
  const given: Given = {
    urls: [],
    headers: [],
    data: [],
    flags: new Set(),
    request: undefined,
    upload: undefined,
  };
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word.startsWith('--') && word.length > 2) takeOption(given, word.slice(2), queue);
    else if (word.startsWith('-') && word.length > 1) takeShort(given, word.slice(1), queue);
    else if (word !== '--') given.urls.push(word);
  }
  return given;
}

/** Reads `-sS`, `-XPOST` or `-d @file`: letters up to the first that takes a value. */
function takeShort(given: Given, letters: string, queue: string[]): void {
  for (let index = 0; index < letters.length; index++) {
    const name = shortNames[letters[index]!] ?? letters[index]!;
    if (!hasValue(name)) given.flags.add(name);
    else {
      const attached = letters.slice(index + 1);
      if (attached !== '') queue.unshift(attached);
      return takeOption(given, name, queue);
    }
  }
}

function hasValue(name: string): boolean {
  return Object.hasOwn(meanings, name) || otherValues.has(name);
}

function takeOption(given: Given, name: string, queue: string[]): void {
  if (!hasValue(name)) {
    given.flags.add(name);
    return;
  }
  const value = queue.shift();
  if (value === undefined) throw incomplete(`The curl line ends after --${name}, which needs a value.`);
  if (Object.hasOwn(unreadable, name)) {
    throw incomplete(
      `This curl line does not show what it sends: ${unreadable[name]}.`,
      'give-verbose-output',
    );
  }
  if (Object.hasOwn(meanings, name)) meanings[name]!(given, value, name);
}

function methodOf({ request, data, upload, flags }: Given): string {
  if (request !== undefined) return request;
  if (flags.has('head')) return 'HEAD';
  if (upload !== undefined) return 'PUT';
  return data.length > 0 && !flags.has('get') ? 'POST' : 'GET';
}

async function readData({ data, upload }: Given, readFile: ReadFile | undefined): Promise<Uint8Array> {
  if (upload !== undefined) return readNamed(upload, readFile);
  const parts: Uint8Array[] = [];
  for (const { option, value } of data) {
    // --json joins without a separator, the others like form fields.
    if (parts.length > 0 && option !== 'json') parts.push(utf8Bytes('&'));
    parts.push(await readPart(option, value, readFile));
  }
  return concatBytes(parts);
}

async function readPart(option: string, value: string, readFile: ReadFile | undefined): Promise<Uint8Array> {
  if (option === 'data-urlencode') return utf8Bytes(await urlEncoded(value, readFile));
  if (!value.startsWith('@') || option === 'data-raw') return utf8Bytes(value);
  const bytes = await readNamed(value.slice(1), readFile);
  // curl strips line ends from what --data reads from a file.
  return option === 'data' || option === 'data-ascii'
    ? bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d && byte !== 0)
    : bytes;
}

function readNamed(path: string, readFile: ReadFile | undefined): Promise<Uint8Array> {
  if (path === '-' || path === '.')
    throw incomplete('The curl line reads its body from standard input.', 'give-body-instead');
  if (!readFile) throw incomplete(`The curl line reads its body from the file ${path}.`, 'give-body-instead');
  return readFile(path);
}

/** Reads `content`, `=content`, `name=content`, `@file` or `name@file`. */
async function urlEncoded(value: string, readFile: ReadFile | undefined): Promise<string> {
  const [, name = '', mark, content = ''] = /^([^=@]*)([=@])([\s\S]*)$/.exec(value) ?? ['', '', '=', value];
  const text = mark === '@' ? utf8Text(await readNamed(content, readFile)) : content;
  const encoded = encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return name === '' ? encoded : `${name}=${encoded}`;
}

/** Returns the URL that curl calls: with the data in its query, dots resolved and no fragment. */
function calledUrl(text: string, { flags }: Given, data: Uint8Array, notes: RequestNote[]): string {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (whole !== text) notes.push({ text: `The URL has no scheme; curl takes http: ${whole}` });
  const [, origin = whole, path = '', query = ''] =
    /^([^/?#]*\/\/[^/?#]*)([^?#]*)(\?[^#]*)?/.exec(whole) ?? [];
  if (!flags.has('globoff') && /[[\]{}]/.test(path + query))
    notes.push({ text: 'Without --globoff curl expands the brackets of a URL, and calls another one.' });
  const resolved = path === '' || flags.has('path-as-is') ? path : withoutDotSegments(path);
  if (resolved !== path)
    notes.push({
      text: `Without --path-as-is curl resolves the dots of a path: ${path} is called as ${resolved}`,
    });
  const added = flags.has('get') && data.length > 0 ? utf8Text(data) : '';
  const separator = added === '' ? '' : query === '' ? '?' : '&';
  return `${origin}${resolved || '/'}${query}${separator}${added}`;
}

/** Returns the lines that curl sends: `Name:` removes one of its own, `Name;` sends an empty one. */
function headersOf({ headers }: Given, url: string, body: Uint8Array): [string, string][] {
  const lines: [string, string][] = [];
  for (const line of headers) {
    const [, name, value] = /^([^:;\s]+):[ \t]*([\s\S]*)$/.exec(line) ?? [];
    const [, empty] = /^([^:;\s]+);[ \t]*$/.exec(line) ?? [];
    if (name !== undefined && value !== '') lines.push([name, value!]);
    else if (empty !== undefined) lines.push([empty, '']);
  }
  const own: [string, string][] = [
    ['Host', /\/\/([^/?#]*)/.exec(url)?.[1]?.replace(/^.*@/, '') ?? ''],
    ...(body.length > 0 ? [['Content-Length', String(body.length)] satisfies [string, string]] : []),
  ];
  return [...own.filter(([name]) => headerValues(lines, name.toLowerCase()).length === 0), ...lines];
}
