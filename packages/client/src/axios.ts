/**
 * Signs the requests of axios, on Node and in browsers.
 *
 * @module
 */
import { isThrown, readRefusal } from './refusals/read-refusal.ts';
import { redirectOf, redirectsMax } from './signing/redirects.ts';
import { bufferBody } from './signing/body-bytes.ts';
import { Call, carried, type CarriedCall } from './signing/call.ts';
import type { RequestSigner, SignedAttempt } from './signing/request-signer.ts';
import { isReplaced, ownHeaderNames } from './signing/own-headers.ts';
import { targetUrl } from './signing/target-url.ts';

/** The parts of axios's default export that are used. */
export interface AxiosLike {
  getUri(config: object): string;
  getAdapter(names: string[]): unknown;
}

/** The configuration of a request as adapters receive it: axios has encoded the body by then. */
interface AxiosRequest {
  readonly url?: string | undefined;
  readonly baseURL?: string | undefined;
  readonly method?: string | undefined;
  readonly data?: unknown;
  readonly maxRedirects?: number | undefined;
  /** In milliseconds; 0 for none. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly headers: AxiosHeaders;
  /**
   * The call, which this adapter adds. axios copies it when an interceptor repeats a request with its
   * configuration.
   */
  countersignCall?: CarriedCall | undefined;
}

interface AxiosHeaders {
  concat(...others: object[]): AxiosHeaders;
  get(name: string): unknown;
  set(name: string, value: string): unknown;
  delete(name: string): unknown;
  has(name: string): boolean;
}

interface AxiosResponse {
  config?: object;
  readonly status: number;
  readonly headers: unknown;
  readonly data: unknown;
}

type Adapter = (config: object) => Promise<AxiosResponse>;

/** Fits axios's option `adapter`, whatever its exact types: it resolves to the response of the adapter below. */
export type SigningAdapter = (config: object) => Promise<never>;

export interface SigningAdapterOptions {
  /**
   * The adapters of axios that may send. Default: `http`, or `fetch` if that does not exist. `xhr` hides
   * redirects.
   */
  readonly adapters?: readonly ('http' | 'fetch')[] | undefined;
}

/**
 * Creates an adapter for axios. An interceptor would sign too early: axios adds `params` and encodes the body
 * after it. Retries by interceptors, such as axios-retry, are signed anew, except those that throw a
 * `RepeatNotSignedError`.
 *
 * @example
 * const api = axios.create({ baseURL: 'https://api.example.com', adapter: signingAdapter(axios, signer) });
 */
export function signingAdapter(
  axios: AxiosLike,
  signer: RequestSigner,
  options: SigningAdapterOptions = {},
): SigningAdapter {
  const send = axios.getAdapter([...(options.adapters ?? ['http', 'fetch'])]) as Adapter;
  const adapter = async (config: AxiosRequest): Promise<AxiosResponse> => {
    const call = (config.countersignCall ??= carried(new Call(signer)))();
    let request = await readConfig(axios, config, signer);
    for (let redirects = 0; ; redirects++) {
      const outcome = await sendSigned(signer, call, config, request, send);
      const next = nextRequest(outcome.response, request, redirects, config.maxRedirects ?? redirectsMax);
      if (next === undefined) {
        if (outcome.isFailure) throw outcome.failure;
        // Sending a request with the configuration of one that has its response is a new call.
        if (isSuccess(outcome.response)) delete config.countersignCall;
        return outcome.response;
      }
      request = next;
    }
  };
  return adapter as unknown as SigningAdapter;
}

interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: AxiosHeaders;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

async function readConfig(
  axios: AxiosLike,
  config: AxiosRequest,
  signer: RequestSigner,
): Promise<OutgoingRequest> {
  const url = targetUrl(axios.getUri({ ...config, baseURL: config.baseURL ?? '' }), 'page');
  const headers = config.headers.concat();
  for (const name of ownHeaderNames(signer)) headers.delete(name);
  const { bytes, contentType } = await bufferBody(config.data, signer.bodyBytesMax);
  // axios announces a form without its boundary, which is created only now.
  if (contentType?.startsWith('multipart/')) headers.set('Content-Type', contentType);
  else if (contentType !== undefined && !headers.has('Content-Type'))
    headers.set('Content-Type', contentType);
  return { url, method: (config.method ?? 'GET').toUpperCase(), headers, body: bytes };
}

/** A response, and the error that axios creates for its status. */
interface Outcome {
  readonly response: AxiosResponse;
  readonly isFailure: boolean;
  readonly failure: unknown;
}

async function sendSigned(
  signer: RequestSigner,
  call: Call,
  config: AxiosRequest,
  request: OutgoingRequest,
  send: Adapter,
): Promise<Outcome> {
  const { timeout, signal } = config;
  for (;;) {
    const { method, url, body } = request;
    const attempt = await call.sign({
      method,
      url: url.href,
      body,
      header: (name) => joined((isReplaced(name) ? config : request).headers.get(name)),
      signal,
      waitMsMax: timeout || undefined,
    });
    const outcome = await settled(send(configOf(config, request, attempt)), config, call);
    const { status, headers, data } = outcome.response;
    const head = {
      status,
      contentType: headerOf(headers, 'content-type'),
      retryAfter: headerOf(headers, 'retry-after'),
      location: headerOf(headers, 'location'),
    };
    const content = textOrBytes(data);
    const refusal = content && readRefusal(head, content, signer.problemTypeBase);
    if (call.repeatsAfter(head, refusal || undefined)) continue;
    if (refusal && isThrown(refusal, signer.throwsRefusals)) throw refusal;
    return outcome;
  }
}

function configOf(config: AxiosRequest, { headers, body }: OutgoingRequest, attempt: SignedAttempt): object {
  return {
    ...config,
    url: attempt.url,
    baseURL: undefined,
    params: undefined,
    method: attempt.method.toLowerCase(),
    headers: headers.concat(attempt.headers),
    // An ArrayBuffer, which both adapters accept as it is.
    data: body === undefined || body.length === 0 ? undefined : body.buffer,
    maxRedirects: 0,
    fetchOptions: { ...(config as { readonly fetchOptions?: object }).fetchOptions, redirect: 'manual' },
  };
}

/**
 * Interceptors retry with the configuration in axios's result, so that is the one with which axios called the
 * adapter.
 */
async function settled(sent: Promise<AxiosResponse>, config: AxiosRequest, call: Call): Promise<Outcome> {
  try {
    const response = await sent;
    response.config = config;
    return { response, isFailure: false, failure: undefined };
  } catch (error) {
    const failure = error as { config?: object; readonly response?: AxiosResponse };
    if (failure.config !== undefined) failure.config = config;
    const { response } = failure;
    if (response === undefined) {
      call.failed(error);
      throw error;
    }
    response.config = config;
    return { response, isFailure: true, failure };
  }
}

function isSuccess({ status }: AxiosResponse): boolean {
  return status >= 200 && status <= 299;
}

/** Returns the body of a response, unless the caller wants it as a stream or a Blob. */
function textOrBytes(data: unknown): string | Uint8Array | undefined {
  if (typeof data === 'string' || data instanceof Uint8Array) return data;
  return data instanceof ArrayBuffer ? new Uint8Array(data) : undefined;
}

function headerOf(headers: unknown, name: string): string | undefined {
  return textOf((headers as Readonly<Record<string, unknown>> | undefined)?.[name]);
}

/** The lines of a header are one list. */
function joined(value: unknown): string | undefined {
  return Array.isArray(value) ? value.join(', ') : textOf(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the request that a redirect on the same origin asks for. No signature goes to another origin. */
function nextRequest(
  response: AxiosResponse,
  request: OutgoingRequest,
  redirects: number,
  maxRedirects: number,
): OutgoingRequest | undefined {
  if (redirects >= maxRedirects) return undefined;
  const { url, method, headers, body } = request;
  const redirect = redirectOf(response.status, headerOf(response.headers, 'location'), {
    url: url.href,
    method,
  });
  if (redirect === undefined || redirect.url.origin !== url.origin) return undefined;
  const target = { url: targetUrl(redirect.url), method: redirect.method };
  if (redirect.keepsBody) return { ...target, headers, body };
  const bare = headers.concat();
  for (const name of ['Content-Type', 'Content-Encoding', 'Content-Length']) bare.delete(name);
  return { ...target, headers: bare, body: undefined };
}
