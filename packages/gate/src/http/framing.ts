import type { BaseUrls } from './base-urls.ts';

/**
 * Limits on a request's head (docs/profile.md section 2.6). The server itself limits the size of the header section.
 */
export const headLimits = { headerLinesMax: 100, targetBytesMax: 8192 } as const;

/** A request's head as received: from a socket (an `IncomingMessage` is one) or as forwarded by a proxy. */
export interface ReceivedHead {
  readonly method?: string | undefined;
  /** The raw request target. */
  readonly url?: string | undefined;
  /** Names and values in turn, in their order. */
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
}

/** A request with valid framing: it names this service exactly once, and a signer can have signed its target. */
export interface Framed<Door = unknown> {
  readonly ok: true;
  /** Serves the base URL that the request was sent to. */
  readonly door: Door;
  readonly method: string;
  readonly targetUri: string;
  /** The raw target in origin-form (RFC 9112 section 3.2.1). */
  readonly target: string;
  /** The target's path, without its query. */
  readonly path: string;
  /** The query without its `?`. */
  readonly query: string;
  /** True if a body follows; undefined with chunked coding. */
  readonly hasBody: boolean | undefined;
  /** The body's length in bytes, as `Content-Length` announces it; undefined with chunked coding. */
  readonly contentLength: number | undefined;
}

export interface FramingRefusal {
  readonly ok: false;
  readonly code: 'request_malformed' | 'uri_too_long' | 'headers_too_large';
  readonly reason: string;
  /** Set if parsers may disagree on where this request ends: ignore everything behind it. */
  readonly endsConnection?: true;
  /** True if the only fault is that the request matches none of our base URLs: its Host is missing or foreign. */
  readonly isForeign?: true;
}

/**
 * Runs check 1: framing (RFC 9112). Rejects what node:http's parser accepts but later steps must never see:
 * two Host lines, foreign hosts, targets in another form, fragments, other versions, too many lines.
 */
export function readFrame<Door>(head: ReceivedHead, baseUrls: BaseUrls<Door>): Framed<Door> | FramingRefusal {
  const { method = '', url: target = '', rawHeaders, httpVersion } = head;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return malformed(`HTTP/${httpVersion} is not supported`);
  if (!isCodingKnown(head)) {
    return {
      ...malformed('the only valid Transfer-Encoding is "chunked", in HTTP/1.1'),
      endsConnection: true,
    };
  }
  if (target.length > headLimits.targetBytesMax) {
    return {
      ok: false,
      code: 'uri_too_long',
      reason: `the target has more than ${headLimits.targetBytesMax} bytes`,
    };
  }
  if (rawHeaders.length > headLimits.headerLinesMax * 2) {
    return {
      ok: false,
      code: 'headers_too_large',
      reason: `there are more than ${headLimits.headerLinesMax} header lines`,
    };
  }

  const hosts = valuesOf(rawHeaders, 'host');
  if (hosts.length === 0) return { ...malformed('the Host header is missing'), isForeign: true };
  if (hosts.length !== 1) return malformed('there is more than one Host header');
  const host = hosts[0]!;

  const originForm = target.startsWith('/') ? target : baseUrls.originForm(host, target);
  if (originForm === undefined) return malformed('the target is neither a path nor a URL of this service');
  if (!visibleAscii.test(originForm)) return malformed('the target has characters that URLs cannot have');
  if (originForm.includes('#')) return malformed('the target has a fragment');
  const base = baseUrls.find(host);
  if (base === undefined)
    return { ...malformed('the Host header does not name this service'), isForeign: true };

  const queryStart = originForm.indexOf('?');
  const contentLength = announcedLength(rawHeaders);
  return {
    ok: true,
    door: base.door,
    method,
    targetUri: base.url + originForm,
    target: originForm,
    path: queryStart < 0 ? originForm : originForm.slice(0, queryStart),
    query: queryStart < 0 ? '' : originForm.slice(queryStart + 1),
    hasBody: contentLength === undefined ? undefined : contentLength > 0,
    contentLength,
  };
}

/** Returns the values of all lines with this lower-case name, in their order. */
export function valuesOf(rawHeaders: readonly string[], lowerCaseName: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName)
      values.push(rawHeaders[index + 1]!);
  }
  return values;
}

const visibleAscii = /^[\x21-\x7e]+$/;

/**
 * Returns true if the body's transfer coding can be trusted. A body that is still encoded is not the one that
 * the sender meant, and HTTP/1.0 does not define transfer codings, so such a message is faulty (RFC 9112
 * section 6.1). The parser has already rejected codings that do not end in `chunked`.
 */
function isCodingKnown({ rawHeaders, httpVersion }: ReceivedHead): boolean {
  const codings = valuesOf(rawHeaders, 'transfer-encoding');
  if (codings.length === 0) return true;
  return codings.length === 1 && codings[0]!.trim().toLowerCase() === 'chunked' && httpVersion === '1.1';
}

/** Returns the announced length. The parser has already rejected contradictory and malformed ones. */
function announcedLength(rawHeaders: readonly string[]): number | undefined {
  if (valuesOf(rawHeaders, 'transfer-encoding').length > 0) return undefined;
  return Number(valuesOf(rawHeaders, 'content-length')[0] ?? 0);
}

function malformed(reason: string): FramingRefusal {
  return { ok: false, code: 'request_malformed', reason };
}
