import { bytesOf } from '@countersign/signature/profile';
import { type Refusal, refuse } from './refusal.ts';

/** A request as a server received it. An `IncomingMessage` of node:http is one, apart from its body. */
export interface ForwardedRequest {
  readonly method?: string | undefined;
  /**
   * The raw request target, such as `request.url` of node:http, or the full URL that the client called. Not a
   * router's shortened version: Express has the full one in `request.originalUrl`.
   */
  readonly url?: string | undefined;
  /** Names and values in turn. Preferred over `headers`, because no line is lost. */
  readonly rawHeaders?: readonly string[] | undefined;
  /** An object or `Headers`; used if there is no `rawHeaders`. */
  readonly headers?:
    | Iterable<readonly [string, string]>
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | undefined;
  /**
   * Every byte of the body as received, before a parser read it: a Uint8Array, an ArrayBuffer or a DataView.
   * Undefined or null if there is none.
   */
  readonly body?: unknown;
}

/** A copy of a request, so that nothing changes while the check waits for keys. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  /** The values of each header, by its name in lower case. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Undefined if it was not given. */
  readonly body: Uint8Array | undefined;
}

/** Reads a request once. Never throws, whatever the content. */
export function readRequest(request: ForwardedRequest): ReceivedRequest | Refusal {
  if (typeof request !== 'object' || request === null) return malformed('the request is no object');
  const { method, url, rawHeaders, headers } = request;
  if (typeof method !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(method))
    return malformed('the method is not a token');
  if (typeof url !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(url))
    return malformed('the URL is empty, too long, or has characters that a URL cannot have');
  const body = readBody(request.body);
  if (body !== undefined && 'ok' in body) return body;
  const lines = linesOf(rawHeaders, headers);
  const fields = new Map<string, string[]>();
  for (const [name, value] of lines) {
    if (typeof name !== 'string' || typeof value !== 'string') return malformed('a header is not text');
    const lowerCase = name.toLowerCase();
    const values = fields.get(lowerCase);
    if (values) values.push(value);
    else fields.set(lowerCase, [value]);
  }
  return { method, url, fields, body };
}

function readBody(body: unknown): Uint8Array | Refusal | undefined {
  try {
    return bytesOf(body, 'body');
  } catch (error) {
    return refuse('body_missing', (error as TypeError).message);
  }
}

/** Returns true if the headers announce a body (RFC 9112 section 6). */
export function announcesBody({ fields }: ReceivedRequest): boolean {
  const isLong = (fields.get('content-length') ?? []).some((value) => value.trim() !== '0');
  return isLong || fields.has('transfer-encoding');
}

function linesOf(
  rawHeaders: ForwardedRequest['rawHeaders'],
  headers: ForwardedRequest['headers'],
): (readonly [unknown, unknown])[] {
  if (Array.isArray(rawHeaders)) {
    const raw: readonly unknown[] = rawHeaders;
    return Array.from({ length: Math.ceil(raw.length / 2) }, (_, index) => [
      raw[index * 2],
      raw[index * 2 + 1],
    ]);
  }
  if (typeof headers !== 'object' || headers === null) return [];
  if (Symbol.iterator in headers)
    return [...headers].map((line: unknown) => (Array.isArray(line) ? [line[0], line[1]] : [line, line]));
  return Object.entries(headers).flatMap(([name, value]): (readonly [unknown, unknown])[] => {
    if (value === undefined) return [];
    return Array.isArray(value) ? value.map((one: unknown) => [name, one] as const) : [[name, value]];
  });
}

function malformed(reason: string): Refusal {
  return refuse('request_malformed', reason);
}
