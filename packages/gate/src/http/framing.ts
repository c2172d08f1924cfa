import type { IncomingMessage } from 'node:http';
import type { BaseUrls } from './base-urls.ts';

/** Limits of the head of a request (docs/profile.md section 2.6). The size of the header section is set at the server. */
export const headLimits = { headerLinesMax: 100, targetBytesMax: 8192 } as const;

/** A request whose frame is sound: it names this service once, and its target is what its signer could have signed. */
export interface Framed {
  readonly ok: true;
  readonly method: string;
  readonly targetUri: string;
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
}

/**
 * Check 1: framing (RFC 9112). What node:http's parser lets through and must not reach anything behind it is refused
 * here: two Host lines, hosts that are not ours, targets in another form, fragments, other versions, too many lines.
 */
export function readFrame(request: IncomingMessage, baseUrls: BaseUrls): Framed | FramingRefusal {
  const { method = '', url: target = '', rawHeaders, httpVersion } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return malformed(`HTTP/${httpVersion} is not spoken here`);
  if (!isCodingKnown(request)) {
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
  if (hosts.length !== 1)
    return malformed(hosts.length === 0 ? 'the Host header is missing' : 'Host comes more than once');
  const host = hosts[0]!;

  const originForm = target.startsWith('/') ? target : baseUrls.originForm(host, target);
  if (originForm === undefined) return malformed('the target is neither a path nor a URL of this service');
  if (!visibleAscii.test(originForm)) return malformed('the target has characters that a URL cannot have');
  if (originForm.includes('#')) return malformed('the target has a fragment');
  const targetUri = baseUrls.targetUri(host, originForm);
  if (targetUri === undefined) return malformed('the Host header does not name this service');

  const queryStart = originForm.indexOf('?');
  const contentLength = announcedLength(rawHeaders);
  return {
    ok: true,
    method,
    targetUri,
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
function isCodingKnown({ rawHeaders, httpVersion }: IncomingMessage): boolean {
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
