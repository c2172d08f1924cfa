/**
 * Signs the requests of ky, in every runtime.
 *
 * @module
 */
import { buildSigningFetch, type SigningFetch, type SigningFetchOptions } from './fetch/signing-fetch.ts';
import { refusalFromValue } from './refusals/read-refusal.ts';
import type { RequestSigner } from './signing/request-signer.ts';

/** Options for `ky.create` and `ky.extend`. */
export interface SigningKyOptions {
  readonly fetch: SigningFetch;
  readonly hooks: { readonly beforeError: ((state: { readonly error: Error }) => Error)[] };
}

/**
 * Returns options for ky. Each retry of ky is signed anew; a refusal that is not retried becomes a `RefusedError`.
 *
 * @example
 * const api = ky.create({ prefix: 'https://api.example.com', ...signingKy(signer) });
 */
export function signingKy(signer: RequestSigner, options?: SigningFetchOptions): SigningKyOptions {
  // Refusals reach ky as responses, so that it retries by its own rules.
  const fetch = buildSigningFetch({ ...signer, throwsRefusals: false }, options);
  return {
    fetch,
    hooks: { beforeError: signer.throwsRefusals ? [({ error }) => asRefusal(error) ?? error] : [] },
  };
}

/** An error that ky made of a response, with the JSON that it read. */
interface HttpError extends Error {
  readonly response?: Response;
  readonly data?: unknown;
}

function asRefusal(error: HttpError): Error | undefined {
  const { response, data } = error;
  if (!response) return undefined;
  const contentType = response.headers.get('Content-Type');
  const retryAfter = response.headers.get('Retry-After');
  return refusalFromValue({ status: response.status, contentType, retryAfter }, data);
}
