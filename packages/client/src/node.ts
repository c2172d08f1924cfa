/**
 * Signs requests and sends them, on Node: everything of `@countersign/client`, with signing in the thread pool, key files
 * that are followed, key objects, and a memory of used seconds that threads and processes share.
 *
 * @module
 */
import { buildSigningFetch, type SigningFetch, type SigningFetchOptions } from './fetch/signing-fetch.ts';
import type { NodeSignerOptions } from './on-node/node-options.ts';
import { createNodeRequestSigner } from './on-node/node-request-signer.ts';
import type { RequestSigner } from './signing/request-signer.ts';

export * from './exports.ts';
export { optionsFromEnvironment } from './on-node/environment.ts';
export { followKeyFile, type KeyFileOptions } from './on-node/key-file.ts';
export type { NodePrivateKey, NodeSignerOptions as SignerOptions } from './on-node/node-options.ts';
export { shareSecondsWithWorkers } from './on-node/thread-seconds.ts';

/**
 * Creates a signer for one client. Throws SigningError, which says what to do, if an option or a key is
 * invalid; an unusable key file is reported by the first request, or by `ready()`.
 */
export function createRequestSigner(options: NodeSignerOptions): RequestSigner {
  return createNodeRequestSigner(options);
}

/**
 * Creates a `fetch` that signs each request, and each redirect on the same origin, and throws a
 * `RefusedError` when the service rejects one.
 *
 * @example
 * const fetch = signingFetch({ clientId: 'client_…', privateKeyFile: 'private.pem' });
 * const response = await fetch('https://api.example.com/v1/payments');
 */
export function signingFetch(
  signer: NodeSignerOptions | RequestSigner,
  options?: SigningFetchOptions,
): SigningFetch {
  return buildSigningFetch('sign' in signer ? signer : createRequestSigner(signer), options);
}
