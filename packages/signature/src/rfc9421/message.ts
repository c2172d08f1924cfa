import { bytesOf, type BytesLike, checkObject, checkText, wrongType } from '../arguments/check-argument.ts';
import { type HeaderLines, type LineReader, takeLines, trimOptionalWhitespace } from './header-lines.ts';
import { fieldName, methodToken } from './tokens.ts';

/** A request, to sign or as received. */
export interface RequestMessage {
  /** As sent; methods are case-sensitive (RFC 9110 section 9.1). */
  readonly method: string;
  /** The full URL as called: configured origin and raw request target, as text, never rebuilt by a URL parser. */
  readonly targetUri: string;
  /** The request target (RFC 9112 section 3.2), if it is not the path and query of the target URI. */
  readonly requestTarget?: string | undefined;
  readonly headers: HeaderLines;
  /** The trailer fields, where the runtime has them. */
  readonly trailers?: HeaderLines | undefined;
  /** The bytes as sent or received, before any decoding. Undefined, null or empty: no body. */
  readonly body?: BytesLike | null | undefined;
}

/** A response, to sign or as received. */
export interface ResponseMessage {
  /** The status code, 100 to 599. */
  readonly status: number;
  readonly headers: HeaderLines;
  readonly trailers?: HeaderLines | undefined;
  readonly body?: BytesLike | null | undefined;
  /** The request that is answered, for components with the parameter `req` (RFC 9421 section 2.4). */
  readonly request?: RequestMessage | undefined;
}

export type HttpMessage = RequestMessage | ResponseMessage;

/** The parts of a target URI, as their text (RFC 3986 section 3). */
export interface TargetUri {
  readonly text: string;
  readonly scheme: 'http' | 'https';
  /** The host and the port as written. */
  readonly authority: string;
  /** Starts with `/`: an empty path is normalized to that (RFC 9421 section 2.2.6). */
  readonly path: string;
  /** With its `?`; undefined without one. */
  readonly query: string | undefined;
}

/** A message, read once: nothing that the caller changes later has an effect, except on the body's bytes. */
export interface Message {
  readonly headers: Fields;
  readonly trailers: Fields;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Undefined for a response. */
  readonly start: RequestStart | undefined;
  /** Undefined for a request. */
  readonly status: number | undefined;
  /** The request that a response answers, if it is known. */
  readonly request: Message | undefined;
}

export interface RequestStart {
  readonly method: string;
  readonly targetUri: TargetUri;
  readonly requestTarget: string;
}

/** The values of each field by its lower-case name, line by line (RFC 9110 section 5.2). */
export type Fields = ReadonlyMap<string, readonly string[]>;

/** Scheme, host and port (RFC 3986 section 3.2, without user information), path and query. */
const targetUri =
  /^(https?):\/\/((?:\[[0-9A-Fa-f:.]+\]|[\w.~%!$&'()*+;=-]+)(?::(?:[1-9]\d{0,4})?)?)(\/[^\x00-\x20\x7f-\uffff?#]*)?(\?[^\x00-\x20\x7f-\uffff#]*)?$/i;

/**
 * Reads a message.
 *
 * @returns the message, or a sentence that says what cannot be part of an HTTP message
 * @throws TypeError, which names the argument, if one has a wrong type
 */
export function readMessage(message: HttpMessage): Message | string {
  checkObject(message, 'The message');
  const isRequest = 'method' in message;
  const start = isRequest ? readStart(message) : undefined;
  if (typeof start === 'string') return start;
  const status = isRequest ? undefined : readStatus(message);
  if (typeof status === 'string') return status;
  const request = isRequest || message.request === undefined ? undefined : readMessage(message.request);
  if (typeof request === 'string') return `Of the request that is answered: ${request}`;
  if (request !== undefined && request.start === undefined)
    throw new TypeError('request must be a request; it is a response.');
  return {
    start,
    status,
    request,
    headers: readFields(message.headers),
    trailers: readFields(message.trailers ?? []),
    body: bytesOf(message.body, 'body') ?? new Uint8Array(0),
  };
}

function readStart(request: RequestMessage): RequestStart | string {
  const { method, targetUri: uri, requestTarget } = request;
  checkText(method, 'method');
  checkText(uri, 'targetUri');
  if (!methodToken.test(method)) return 'the method is not a token';
  const parts = targetUri.exec(uri);
  if (!parts)
    return 'the target URI is not an absolute http or https URL in visible ASCII, without user information and fragment';
  const [, scheme, authority, path = '/', query] = parts as unknown as [
    string,
    string,
    string,
    string?,
    string?,
  ];
  if (Number(/:(\d+)$/.exec(authority)?.[1] ?? 0) > 65_535) return 'the target URI has a port above 65535';
  if (requestTarget !== undefined) {
    checkText(requestTarget, 'requestTarget');
    if (!isRequestTarget(requestTarget, method, uri, path + (query ?? '')))
      return 'the request target is another one than that of the target URI';
  }
  return {
    method,
    targetUri: { text: uri, scheme: scheme.toLowerCase() as 'http' | 'https', authority, path, query },
    requestTarget: requestTarget ?? path + (query ?? ''),
  };
}

/** The four forms of RFC 9112 section 3.2. */
function isRequestTarget(target: string, method: string, uri: string, pathAndQuery: string): boolean {
  if (target === pathAndQuery || target === uri) return true;
  if (target === '*') return method === 'OPTIONS';
  return method === 'CONNECT' && /^[\w.~%!$&'()*+;=[\]:-]+:\d{1,5}$/.test(target);
}

function readStatus({ status }: ResponseMessage): number | string {
  if (typeof status !== 'number')
    throw wrongType('status', status, 'a number, or the message needs a method');
  return Number.isInteger(status) && status >= 100 && status <= 599
    ? status
    : 'the status is not a number from 100 to 599';
}

function readFields(lines: HeaderLines): Fields {
  return takeLines(lines, new TakenFields()).fields;
}

class TakenFields implements LineReader {
  readonly fields = new Map<string, string[]>();

  take(name: string, value: string): void {
    // Other characters have lower-case forms that are tokens.
    if (!fieldName.test(name)) return;
    const lowerCase = name.toLowerCase();
    const text = value.includes('\n') ? unfolded(value) : trimOptionalWhitespace(value);
    const earlier = this.fields.get(lowerCase);
    if (earlier) earlier.push(text);
    else this.fields.set(lowerCase, [text]);
  }
}

/** Replaces line folding (RFC 9112 section 5.2) by one space each (RFC 9421 section 2.1). Other line breaks stay. */
function unfolded(value: string): string {
  return trimOptionalWhitespace(
    value
      .split(/\r?\n(?=[ \t])/)
      .map(trimOptionalWhitespace)
      .join(' '),
  );
}
