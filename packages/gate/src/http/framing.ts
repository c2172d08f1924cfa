import type { BaseUrls } from './base-urls.ts';

/** Limits of the head of a request (docs/profile.md section 2.6). The size of the header section is set at the server. */
export const headLimits = { headerLinesMax: 100, targetBytesMax: 8192 } as const;

/** The head of a request as it came: from a socket (an `IncomingMessage` is one), or as a proxy hands it over. */
export interface ReceivedHead {
  readonly method?: string | undefined;
  /** The raw request target. */
  readonly url?: string | undefined;
  /** Names and values in turn, in their order. */
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
}

/** A request whose frame is sound: it names this service once, and its target is one that its signer could have signed. */
export interface Framed<Door = unknown> {
  readonly ok: true;
  /** What stands behind the base URL that the request was sent to. */
  readonly door: Door;
  readonly method: string;
  readonly targetUri: string;
  /** The raw target in origin-form (RFC 9112 section 3.2.1). */
  readonly target: string;
  /** The path of the target, without its query. */
  readonly path: string;
  /** The query without its `?`. */
  readonly query: string;
  /** Whether a body comes; undefined with chunked coding. */
  readonly hasBody: boolean | undefined;
  /** The number of body bytes that `Content-Length` announces; undefined with chunked coding. */
  readonly contentLength: number | undefined;
}

export interface FramingRefusal {
  readonly ok: false;
  readonly code: 'request_malformed' | 'uri_too_long' | 'headers_too_large';
  readonly reason: string;
  /** Readers may not agree on where this request ends, so nothing behind it may be heard. */
  readonly endsConnection?: true;
  /** Whether all that is wrong is that the request names no base URL: no Host, or that of somebody else. */
  readonly isForeign?: true;
}

/**
 * Check 1: framing (RFC 9112). What node:http's parser lets through and must not reach anything behind it is refused
 * here: two Host lines, hosts that are not ours, targets in another form, fragments, other versions, too many lines.
 */
export function readFrame<Door>(head: ReceivedHead, baseUrls: BaseUrls<Door>): Framed<Door> | FramingRefusal {
  const { method = '', url: target = '', rawHeaders, httpVersion } = head;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return malformed(`HTTP/${httpVersion} is not spoken here`);
  if (!isCodingKnown(head)) {
    return { ...malformed('the one Transfer-Encoding is "chunked", in HTTP/1.1'), endsConnection: true };
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
  if (hosts.length !== 1) return malformed('Host comes more than once');
  const host = hosts[0]!;

  const originForm = target.startsWith('/') ? target : baseUrls.originForm(host, target);
  if (originForm === undefined) return malformed('the target is neither a path nor a URL of this service');
  if (!visibleAscii.test(originForm)) return malformed('the target has characters that a URL cannot have');
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

/** The values of all lines with this lower-case name, in their order. */
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
 * A body whose coding is not undone would not be the one that was meant, and what HTTP/1.0 has no coding for is faulty
 * (RFC 9112 section 6.1). The parser has refused what does not end in `chunked`.
 */
function isCodingKnown({ rawHeaders, httpVersion }: ReceivedHead): boolean {
  const codings = valuesOf(rawHeaders, 'transfer-encoding');
  if (codings.length === 0) return true;
  return codings.length === 1 && codings[0]!.trim().toLowerCase() === 'chunked' && httpVersion === '1.1';
}

/** The parser has refused contradictory and malformed lengths before this is asked. */
function announcedLength(rawHeaders: readonly string[]): number | undefined {
  if (valuesOf(rawHeaders, 'transfer-encoding').length > 0) return undefined;
  return Number(valuesOf(rawHeaders, 'content-length')[0] ?? 0);
}

function malformed(reason: string): FramingRefusal {
  return { ok: false, code: 'request_malformed', reason };
}
