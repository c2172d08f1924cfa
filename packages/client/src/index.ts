/**
 * Signs requests and sends them, in every runtime with `fetch` and Web Crypto: browsers, workers, Deno, Bun and Node.
 * On Node, `@countersign/client/node` adds key files, key objects and a memory that threads share.
 *
 * @module
 */
import { buildSigningFetch, type SigningFetch, type SigningFetchOptions } from './fetch/signing-fetch.ts';
import type { SignerOptions } from './signing/options.ts';
import type { RequestSigner } from './signing/request-signer.ts';
import { createWebRequestSigner } from './signing/web-request-signer.ts';

export * from './exports.ts';
export type { SignerOptions } from './signing/options.ts';

/**
 * Creates a signer for one client. If an option or a key is invalid, the first request, or `ready()`, reports
 * it as a SigningError that says what to do.
 */
export function createRequestSigner(options: SignerOptions): RequestSigner {
  return createWebRequestSigner(options);
}

/**
 * Creates a `fetch` that signs each request, and each redirect on the same origin, and throws a
 * `RefusedError` when the service rejects one.
 *
 * @example
 * const fetch = signingFetch({ clientId: 'client_…', privateKey });
 * const response = await fetch('https://api.example.com/v1/payments');
 */
export function signingFetch(
  signer: SignerOptions | RequestSigner,
  options?: SigningFetchOptions,
): SigningFetch {
  return buildSigningFetch('sign' in signer ? signer : createRequestSigner(signer), options);
}
