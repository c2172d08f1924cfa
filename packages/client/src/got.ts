/**
 * Signs the requests of got.
 *
 * @module
 */
import { SigningError } from '@countersign/signature';
import { readRefusal } from './refusals/read-refusal.ts';
import type { RefusedError } from './refusals/refused-error.ts';
import { bufferBody } from './signing/body-bytes.ts';
import type { RequestSigner, SignedAttempt } from './signing/request-signer.ts';
import { ownHeaderNames, signatureHeaderNames } from './signing/own-headers.ts';
import { targetUrl } from './signing/target-url.ts';

/** The options of a request, as got hands them to hooks. */
export interface GotOptions {
  url: string | URL | undefined;
  method: string;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
  readonly isStream: boolean;
}

/** A response, as got hands it to hooks. */
export interface GotResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawBody?: Uint8Array | undefined;
  readonly requestUrl: URL;
  readonly redirectUrls: readonly URL[];
  readonly request: { readonly options: object };
}

/** Options for `got.extend`. */
export interface SigningGotOptions {
  readonly hooks: {
    readonly beforeRequest: ((options: GotOptions) => Promise<void>)[];
    readonly beforeRedirect: ((options: GotOptions, response: GotResponse) => void)[];
    readonly afterResponse: (<Response extends GotResponse>(
      response: Response,
      retry: (options: object) => never,
    ) => Response)[];
    readonly beforeError: ((error: Error) => Error)[];
  };
}

/**
 * Returns options for got. Extend with them last: hooks that run later would change what is signed. Each retry and each
 * redirect on the same origin is signed anew; a redirect to another origin is followed without a signature.
 *
 * @example
 * const api = got.extend({ prefixUrl: 'https://api.example.com' }, signingGot(signer));
 */
export function signingGot(signer: RequestSigner): SigningGotOptions {
  const attempts = new WeakMap<object, SignedAttempt>();
  /** Options of requests that a redirect has taken to another origin. */
  const elsewhere = new WeakSet<object>();

  const sign = async (options: GotOptions): Promise<void> => {
    const isElsewhere = elsewhere.has(options);
    for (const name of isElsewhere ? signatureHeaderNames : ownHeaderNames) delete options.headers[name];
    if (isElsewhere) return;
    refusePipedBody(options);
    const url = targetUrl(options.url ?? '');
    const { bytes } = await bufferBody(options.body, signer.bodyBytesMax);
    const attempt = await signer.sign({ method: options.method, url: url.href, body: bytes });
    options.url = url;
    if (bytes !== undefined) {
      options.body = bytes;
      options.headers['content-length'] = String(bytes.length);
    }
    for (const [name, value] of Object.entries(attempt.headers)) options.headers[name.toLowerCase()] = value;
    attempts.set(options, attempt);
  };

  const retryAtRightTime = <Response extends GotResponse>(
    response: Response,
    retry: (options: object) => never,
  ): Response => {
    const refusal = refusalIn(response);
    const attempt = attempts.get(response.request.options);
    // got runs no hook of this kind after it, so this happens once.
    if (refusal && attempt && signer.correctClock(refusal, attempt)) return retry({});
    return response;
  };

  return {
    hooks: {
      beforeRequest: [sign],
      beforeRedirect: [
        (options, { requestUrl, redirectUrls }) => {
          if (redirectUrls.every(({ origin }) => origin === requestUrl.origin)) return;
          for (const name of signatureHeaderNames) delete options.headers[name];
          elsewhere.add(options);
        },
      ],
      afterResponse: [retryAtRightTime],
      beforeError: [(error) => ownError(error, signer.throwsRefusals) ?? error],
    },
  };
}

/** What is piped into a got stream comes after the headers, which must have its digest. */
function refusePipedBody({ isStream, method, body }: GotOptions): void {
  if (!isStream || body !== undefined || !/^(POST|PUT|PATCH|QUERY)$/i.test(method)) return;
  throw new SigningError(
    'request_invalid',
    'A body that is piped into got.stream cannot be signed: give it as the option body, which may be a stream.',
  );
}

function refusalIn({ statusCode, headers, rawBody }: GotResponse): RefusedError | undefined {
  const head = {
    status: statusCode,
    contentType: one(headers['content-type']),
    retryAfter: one(headers['retry-after']),
  };
  return rawBody && readRefusal(head, rawBody);
}

/** got wraps what hooks throw, and makes its own error of a status. */
function ownError(error: Error, throwsRefusals: boolean): Error | undefined {
  if (error.cause instanceof SigningError) return error.cause;
  const { response } = error as { readonly response?: GotResponse };
  return response && throwsRefusals ? refusalIn(response) : undefined;
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
