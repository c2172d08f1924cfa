/**
 * Signs the requests of got.
 *
 * @module
 */
import { SigningError } from '@countersign/signature';
import { isThrown, readRefusal } from './refusals/read-refusal.ts';
import type { RefusedError } from './refusals/refused-error.ts';
import { bufferBody } from './signing/body-bytes.ts';
import { type AnswerHead, Call, carried, type CarriedCall } from './signing/call.ts';
import type { RequestSigner } from './signing/request-signer.ts';
import { ownHeaderNames } from './signing/own-headers.ts';
import { targetUrl } from './signing/target-url.ts';

/** The options of a request, as got passes them to hooks. */
export interface GotOptions {
  url: string | URL | undefined;
  method: string;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
  /** Data that got keeps for all attempts of a call. */
  readonly context: Record<PropertyKey, unknown>;
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds. */
  readonly timeout?: { readonly request?: number | undefined } | undefined;
  readonly isStream: boolean;
}

/** A response, as got passes it to hooks. */
export interface GotResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawBody?: Uint8Array | undefined;
  readonly requestUrl: URL;
  readonly redirectUrls: readonly URL[];
  readonly request: { readonly options: Pick<GotOptions, 'context'> };
}

/** Options for `got.extend`. */
export interface SigningGotOptions {
  readonly hooks: {
    readonly beforeRequest: ((
      options: GotOptions,
      attempt: { readonly retryCount: number },
    ) => Promise<void>)[];
    readonly beforeRedirect: ((options: GotOptions, response: GotResponse) => void)[];
    readonly afterResponse: (<Response extends GotResponse>(
      response: Response,
      retry: (options: object) => never,
    ) => Response)[];
    readonly beforeRetry: ((error: Error) => void)[];
    readonly beforeError: ((error: Error) => Error)[];
  };
}

/**
 * Returns options for got. Extend with them last: hooks that run later would change what is signed. Each
 * retry and each redirect on the same origin is signed anew, except retries that fail with a
 * `RepeatNotSignedError`; a redirect to another origin is followed without a signature.
 *
 * @example
 * const api = got.extend({ prefixUrl: 'https://api.example.com' }, signingGot(signer));
 */
export function signingGot(signer: RequestSigner): SigningGotOptions {
  /** Options of requests that a redirect has sent to another origin. */
  const elsewhere = new WeakSet<object>();

  const sign = async (
    options: GotOptions,
    { retryCount }: { readonly retryCount: number },
  ): Promise<void> => {
    const isElsewhere = elsewhere.has(options);
    const given = { ...options.headers };
    for (const name of isElsewhere ? signer.signatureHeaders : ownHeaderNames(signer))
      delete options.headers[name];
    if (isElsewhere) return;
    refusePipedBody(options);
    const url = targetUrl(options.url ?? '');
    const { bytes } = await bufferBody(options.body, signer.bodyBytesMax);
    // Hooks may have replaced the context.
    const isResumed = retryCount > 0;
    const call =
      callIn(options) ?? (isResumed ? Call.resumed(signer, one(given['idempotency-key'])) : new Call(signer));
    options.context[callKey] = carried(call);
    const attempt = await call.sign({
      method: options.method,
      url: url.href,
      body: bytes,
      header: (name) => joined(given[name]),
      signal: options.signal,
      waitMsMax: options.timeout?.request,
    });
    options.url = url;
    if (bytes !== undefined) {
      options.body = bytes;
      options.headers['content-length'] = String(bytes.length);
    }
    for (const [name, value] of Object.entries(attempt.headers)) options.headers[name.toLowerCase()] = value;
  };

  const repeatAfterRefusal = <Response extends GotResponse>(
    response: Response,
    retry: (options: object) => never,
  ): Response => {
    const refusal = refusalIn(response, signer);
    // Without the hooks, got would not return the response to the repeated request.
    if (callIn(response.request.options)?.repeatsAfter(headOf(response), refusal))
      return retry({ preserveHooks: true });
    return response;
  };

  return {
    hooks: {
      beforeRequest: [sign],
      beforeRedirect: [
        (options, response) => {
          const { requestUrl, redirectUrls } = response;
          callIn(options)?.repeatsAfter(headOf(response), undefined);
          if (redirectUrls.every(({ origin }) => origin === requestUrl.origin)) return;
          for (const name of signer.signatureHeaders) delete options.headers[name];
          elsewhere.add(options);
        },
      ],
      afterResponse: [repeatAfterRefusal],
      beforeRetry: [(error) => callOfFailed(error)?.failed(error)],
      beforeError: [(error) => ownError(error, signer) ?? error],
    },
  };
}

/** got copies the context to the options of the next attempt. */
const callKey = Symbol('countersign call');

function callIn({ context }: Pick<GotOptions, 'context'>): Call | undefined {
  return (context[callKey] as CarriedCall | undefined)?.();
}

function callOfFailed(error: Error): Call | undefined {
  const { options } = error as { readonly options?: GotOptions };
  return options && callIn(options);
}

/** Data piped into a got stream arrives after the headers, which must have its digest. */
function refusePipedBody({ isStream, method, body }: GotOptions): void {
  if (!isStream || body !== undefined || !/^(POST|PUT|PATCH|QUERY)$/i.test(method)) return;
  throw new SigningError(
    'request_invalid',
    'A body that is piped into got.stream cannot be signed: give it as the option body, which may be a stream.',
  );
}

function headOf({ statusCode, headers }: GotResponse): AnswerHead {
  return {
    status: statusCode,
    contentType: one(headers['content-type']),
    retryAfter: one(headers['retry-after']),
    location: one(headers['location']),
  };
}

function refusalIn(response: GotResponse, { problemTypeBase }: RequestSigner): RefusedError | undefined {
  return response.rawBody && readRefusal(headOf(response), response.rawBody, problemTypeBase);
}

/** got wraps errors of hooks, and creates its own error for a status. */
function ownError(error: Error, signer: RequestSigner): Error | undefined {
  if (error.cause instanceof SigningError) return error.cause;
  const { response } = error as { readonly response?: GotResponse };
  const refusal = response && refusalIn(response, signer);
  return refusal && isThrown(refusal, signer.throwsRefusals) ? refusal : undefined;
}

/** The lines of a header are one list. */
function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
