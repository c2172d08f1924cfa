import { latin1Text } from '../byte-text.ts';
import { readChunkedBody } from './chunked-body.ts';
import { headerValues } from './pasted-request.ts';

/** A request saved in a file: an HTTP/1.1 message (RFC 9112). */
export interface RawRequest {
  readonly ok: true;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** Where the file may differ from the wire, in whole sentences. */
  readonly warnings: readonly string[];
}

export interface NotARequest {
  readonly ok: false;
  readonly reason: string;
}

/**
 * Reads a request from the bytes of a file. Lines may end with LF, because editors and consoles convert CRLF;
 * Content-Length reveals a body that was converted. Otherwise as strict as a server. With `keepsFolds`, a value may
 * continue on a line that starts with white space and keeps its line end.
 */
export function readRawRequest(
  bytes: Uint8Array,
  { keepsFolds = false }: { readonly keepsFolds?: boolean } = {},
): RawRequest | NotARequest {
  const split = splitHead(bytes);
  if (split === undefined) return malformed('the empty line after the headers is missing');
  const [requestLine = '', ...headerLines] = split.head.split(keepsFolds ? /\r?\n(?![ \t])/ : /\r?\n/);
  const [, method, target] =
    /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e]+) HTTP\/1\.[01]$/.exec(requestLine) ?? [];
  if (method === undefined || target === undefined) {
    return malformed('the first line is not of the form "METHOD target HTTP/1.1"');
  }
  const headers: [string, string][] = [];
  for (const [index, line] of headerLines.entries()) {
    const [, name, value] =
      /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*((?:[^\r\n\0]|\r?\n[ \t])*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      return malformed(`line ${index + 2} is not of the form "Name: value"`);
    headers.push([name, value.trimEnd()]);
  }
  const body = readBody(headers, split.rest, split.hasBareLines);
  return body.ok ? { ...body, method, target, headers } : body;
}

function malformed(reason: string): NotARequest {
  return { ok: false, reason };
}

/** Returns the head, one character for each byte and without its empty line, and the bytes after it. */
function splitHead(bytes: Uint8Array): { head: string; rest: Uint8Array; hasBareLines: boolean } | undefined {
  // A head has at most 16 KiB. Do not search a large body.
  const text = latin1Text(bytes.subarray(0, 64 * 1024));
  const end = /\r?\n\r?\n/.exec(text);
  if (!end) return undefined;
  const head = text.slice(0, end.index);
  return {
    head,
    rest: bytes.subarray(end.index + end[0].length),
    hasBareLines: /(?:^|[^\r])\n/.test(head + end[0]),
  };
}

type BodyReading =
  | { readonly ok: true; readonly body: Uint8Array; readonly warnings: readonly string[] }
  | NotARequest;

/** RFC 9112 section 6.3, plus what only a file can contain. */
function readBody(headers: RawRequest['headers'], rest: Uint8Array, hasBareLines: boolean): BodyReading {
  const codings = headerValues(headers, 'transfer-encoding');
  const lengths = headerValues(headers, 'content-length');
  if (codings.length > 0) {
    if (lengths.length > 0) return malformed('it has both Transfer-Encoding and Content-Length');
    if (codings.join(', ').toLowerCase() !== 'chunked')
      return malformed('its Transfer-Encoding is not chunked');
    const body = readChunkedBody(rest);
    return body ? { ok: true, body, warnings: [] } : malformed('its chunked body is damaged or cut off');
  }
  if (lengths.length === 0) return bodyWithoutLength(rest);
  const [length = ''] = lengths;
  if (lengths.length > 1 || !/^\d{1,15}$/.test(length))
    return malformed('its Content-Length is not one whole number');
  const bytes = Number(length);
  const warnings = lengthWarnings(rest, bytes, hasBareLines);
  return { ok: true, body: rest.subarray(0, bytes), warnings };
}

/** On the wire this means no body. In a file, the length may be missing, or there is just a final line end. */
function bodyWithoutLength(rest: Uint8Array): BodyReading {
  const isOnlyLineEnds = rest.every((byte) => byte === 0x0a || byte === 0x0d);
  if (isOnlyLineEnds) return { ok: true, body: rest.subarray(0, 0), warnings: [] };
  const warning = `There is no Content-Length: all ${rest.length} bytes after the headers are taken as the body.`;
  return { ok: true, body: rest, warnings: [warning] };
}

function lengthWarnings(rest: Uint8Array, contentLength: number, hasBareLines: boolean): string[] {
  const difference = rest.length - contentLength;
  if (difference === 0) return [];
  if (difference > 0) {
    const extra = difference === 1 ? '1 extra byte is' : `${difference} extra bytes are`;
    return [`The file is longer than Content-Length says: ${extra} ignored.`];
  }
  const lineEnds = rest.reduce(
    (count, byte, index) => count + (byte === 0x0a && rest[index - 1] !== 0x0d ? 1 : 0),
    0,
  );
  const isConverted = lineEnds > 0 && (lineEnds === -difference || hasBareLines);
  const cause = isConverted
    ? 'The line ends of the file were changed from CRLF to LF, also in the body: save the request again, byte for byte.'
    : 'The file was cut off, or changed when it was saved.';
  return [`The body has ${-difference} bytes fewer than Content-Length says. ${cause}`];
}
