import { SigningError } from '@countersign/signature';
import { isThrown, mayBeRefusal, problemBytesMax, readRefusal } from '../refusals/read-refusal.ts';
import type { RefusedError } from '../refusals/refused-error.ts';
import { bufferBody } from '../signing/body-bytes.ts';
import { type AnswerHead, Call } from '../signing/call.ts';
import type { RequestSigner, SignedAttempt } from '../signing/request-signer.ts';
import { ownHeaderNames } from '../signing/own-headers.ts';
import { targetUrl } from '../signing/target-url.ts';
import { type OutgoingRequest, readArguments } from './outgoing-request.ts';
import { redirectOf, redirectsMax } from '../signing/redirects.ts';

/** The parts of a runtime's `fetch` that are used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Like `fetch`. */
export type SigningFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface SigningFetchOptions {
  /** Sends the signed requests. Default: the runtime's `fetch`. */
  readonly fetch?: Fetch | undefined;
}

/**
 * Builds a `fetch` that signs with this signer.
 *
 * @param callOf returns the call that a request belongs to, for a client that retries; by default, each
 * request is a separate call
 */
export function buildSigningFetch(
  signer: RequestSigner,
  options: SigningFetchOptions = {},
  callOf: (init: RequestInit) => Call = () => new Call(signer),
): SigningFetch {
  const send: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  return async (input, init = {}) => {
    const call = callOf(init);
    let request = await readArguments(input, init, signer.bodyBytesMax);
    for (let redirects = 0; ; redirects++) {
      const response = await sendSigned(signer, call, request, send);
      const next = nextRequest(response, request, redirects);
      if (next === undefined) return response;
      await response.body?.cancel();
      request = next;
    }
  };
}

/** Signs and sends a request, and repeats that if the signer has learned from the rejection. */
async function sendSigned(
  signer: RequestSigner,
  call: Call,
  request: OutgoingRequest,
  send: Fetch,
): Promise<Response> {
  for (;;) {
    const response = await attempt(signer, call, request, send);
    const head = headOf(response);
    const refusal = await refusalIn(response, head, signer.problemTypeBase);
    const repeats = call.repeatsAfter(head, refusal);
    if (!repeats && !(refusal && isThrown(refusal, signer.throwsRefusals))) return response;
    await response.body?.cancel();
    if (!repeats) throw refusal!;
  }
}

async function attempt(
  signer: RequestSigner,
  call: Call,
  request: OutgoingRequest,
  send: Fetch,
): Promise<Response> {
  const { url, method, headers, body, init } = request;
  const signed = await call.sign({
    method,
    url: url.href,
    body,
    header: (name) => headers.get(name),
    signal: init.signal ?? undefined,
  });
  // Left over from the caller or an earlier attempt.
  for (const name of ownHeaderNames(signer)) headers.delete(name);
  for (const name in signed.headers) headers.set(name, signed.headers[name]!);
  refuseDroppedDate(signed);
  try {
    return await send(signed.url, {
      ...init,
      method: signed.method,
      headers,
      // Redirects are followed here, because each new request needs its own signature.
      redirect: 'manual',
      body: body ?? null,
    });
  } catch (error) {
    call.failed(error);
    throw error;
  }
}

/** Pages cannot set `Date`: browsers drop it silently, and the service would reject the request. */
function refuseDroppedDate({ headers }: SignedAttempt): void {
  if (headers['Date'] === undefined) return;
  dropsDate ??= !new Request('https://localhost/', { headers: { Date: headers['Date'] } }).headers.has(
    'Date',
  );
  if (!dropsDate) return;
  throw new SigningError(
    'request_invalid',
    'Pages cannot set the Date header. Have the client registered with "accept without Date", and set coverDate to false.',
  );
}

let dropsDate: boolean | undefined;

function headOf({ status, headers }: Response): AnswerHead {
  return {
    status,
    contentType: headers.get('Content-Type'),
    retryAfter: headers.get('Retry-After'),
    location: headers.get('Location'),
  };
}

/** Reads a rejection from a copy of the response, so that the caller can still read the response. */
async function refusalIn(
  response: Response,
  head: AnswerHead,
  problemTypeBase: string | undefined,
): Promise<RefusedError | undefined> {
  if (!mayBeRefusal(head)) return undefined;
  try {
    const { bytes } = await bufferBody(response.clone().body, problemBytesMax);
    return bytes && readRefusal(head, bytes, problemTypeBase);
  } catch (error) {
    // Too long for a rejection. The reader of the response sees it, and a lost connection too.
    if (error instanceof SigningError) return undefined;
    throw error;
  }
}

/**
 * Returns the request that a redirect on the same origin asks for; undefined if the response is final. A
 * redirect to another origin is final too: no signature goes there.
 */
function nextRequest(
  response: Response,
  request: OutgoingRequest,
  redirects: number,
): OutgoingRequest | undefined {
  if (response.type === 'opaqueredirect' && request.redirect !== 'manual') throw redirected(hidden);
  if (response.status < 300 || response.status > 399) return undefined;
  const redirect = redirectOf(response.status, response.headers.get('Location'), {
    url: request.url.href,
    method: request.method,
  });
  if (redirect === undefined || request.redirect === 'manual') return undefined;
  if (request.redirect === 'error') throw redirected('the request says redirect: "error".');
  if (redirect.url.origin !== request.url.origin) return undefined;
  if (redirects >= redirectsMax) throw redirected(`there were more than ${redirectsMax} redirects.`);
  const { headers, body } = request;
  return {
    ...request,
    url: targetUrl(redirect.url),
    method: redirect.method,
    body: redirect.keepsBody ? body : undefined,
    headers: redirect.keepsBody ? headers : withoutContent(headers),
  };
}

const hidden = 'browsers do not tell pages where to. Call the final URL.';

function redirected(reason: string): TypeError {
  return new TypeError(`The redirect was not followed: ${reason}`);
}

function withoutContent(headers: Headers): Headers {
  const rest = new Headers(headers);
  for (const name of [
    'Content-Type',
    'Content-Encoding',
    'Content-Language',
    'Content-Location',
    'Content-Length',
  ])
    rest.delete(name);
  return rest;
}
