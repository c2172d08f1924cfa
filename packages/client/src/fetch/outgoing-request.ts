import { bufferBody } from '../signing/body-bytes.ts';
import { targetUrl } from '../signing/target-url.ts';

/** A request as `fetch` was called with it, complete enough to be signed and sent several times. */
export interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly redirect: RequestRedirect;
  /** Besides all that: what else was given, such as `signal`, and what a runtime adds, such as `dispatcher`. */
  readonly init: RequestInit;
}

/** Reads the arguments of `fetch`, and the body to its end. */
export async function readArguments(
  input: string | URL | Request,
  init: RequestInit,
  bodyBytesMax: number,
): Promise<OutgoingRequest> {
  const request = isRequest(input) ? input : undefined;
  const url = targetUrl(request ? request.url : (input as string | URL), 'page');
  // Copied before the first pause, because the caller may reuse its object.
  const others = request ? { ...initOf(request), ...init } : { ...init };
  const method = (init.method ?? request?.method ?? 'GET').toUpperCase();
  const headers = new Headers(init.headers ?? request?.headers);
  const given = init.body ?? (init.body === undefined ? request?.body : undefined);
  const { bytes, contentType } = await bufferBody(given, bodyBytesMax);
  if (contentType !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', contentType);
  return {
    url,
    method,
    headers,
    // Browsers refuse a GET even with an empty body.
    body: bytes?.length === 0 && (method === 'GET' || method === 'HEAD') ? undefined : bytes,
    redirect: others.redirect ?? request?.redirect ?? 'follow',
    init: others,
  };
}

/** Not `instanceof`: a program may have the class of another version of undici. */
function isRequest(input: string | URL | Request): input is Request {
  return typeof input === 'object' && 'headers' in input && 'url' in input;
}

function initOf(request: Request | undefined): RequestInit {
  if (!request) return {};
  const { cache, credentials, integrity, keepalive, mode, referrerPolicy, signal } = request;
  return {
    cache,
    credentials,
    integrity,
    keepalive,
    // Only browsers make requests of this mode, and refuse it when it is given.
    ...(mode !== 'navigate' && { mode }),
    referrerPolicy,
    signal,
  };
}
