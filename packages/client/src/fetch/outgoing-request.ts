import { bufferBody } from '../signing/body-bytes.ts';
import { targetUrl } from '../signing/target-url.ts';

/** A request as passed to `fetch`, complete enough to be signed and sent several times. */
export interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly redirect: RequestRedirect;
  /** Everything else: other options, such as `signal`, and runtime extensions, such as `dispatcher`. */
  readonly init: RequestInit;
}

/** Reads the arguments of `fetch` and the whole body. */
export async function readArguments(
  input: string | URL | Request,
  init: RequestInit,
  bodyBytesMax: number,
): Promise<OutgoingRequest> {
  const request = isRequest(input) ? input : undefined;
  const url = targetUrl(request ? request.url : (input as string | URL), 'page');
  // Copied before the first await, because the caller may reuse its object.
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
    // Browsers reject a GET even with an empty body.
    body: bytes?.length === 0 && (method === 'GET' || method === 'HEAD') ? undefined : bytes,
    redirect: others.redirect ?? request?.redirect ?? 'follow',
    init: others,
  };
}

/** Not `instanceof`: a program may use the class of another version of undici. */
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
    // Only browsers create requests of this mode, and they reject it as an option.
    ...(mode !== 'navigate' && { mode }),
    referrerPolicy,
    signal,
  };
}
