import { checkObject } from '../arguments/check-argument.ts';
import {
  bodyBytes,
  type RequestToSign,
  type RequestWithBody,
  type SignatureComposer,
  type SignedRequest,
  type SignedRequestWithBody,
  type SigningTime,
} from '../profile/signing.ts';
import type { AlgorithmName } from '../rfc9421/algorithms.ts';
import { latin1Bytes } from './latin1-bytes.ts';

/** Signs one client's requests with one key, without blocking the event loop. */
export interface AsyncSigner {
  readonly keyid: string;
  /** Signs a request. Rejects with SigningError if the request cannot be signed. */
  sign(request: RequestWithBody, time?: SigningTime): Promise<SignedRequestWithBody>;
  sign(request: RequestToSign, time?: SigningTime): Promise<SignedRequest>;
}

/** A private key, or a function that signs with one, ready to sign complete signature bases. */
export interface OpenSigningKey {
  /** What the key is used for, and nothing else. */
  readonly algorithm: AlgorithmName;
  readonly signBase: (base: Uint8Array) => Promise<Uint8Array>;
}

/** A private key, and a runtime's operation for bodies. */
export interface SigningOperations extends OpenSigningKey {
  readonly contentDigest: (body: Uint8Array<ArrayBuffer>) => Promise<string>;
}

/** Creates a signer from the composer of its signatures and a runtime's operations. */
export function asyncSigner(
  keyid: string,
  composer: SignatureComposer,
  { algorithm, signBase, contentDigest }: SigningOperations,
): AsyncSigner {
  function sign(request: RequestWithBody, time?: SigningTime): Promise<SignedRequestWithBody>;
  function sign(request: RequestToSign, time?: SigningTime): Promise<SignedRequest>;
  async function sign(request: RequestToSign, time?: SigningTime): Promise<SignedRequest> {
    checkObject(request, 'The request');
    // Read before the first await, because the caller may reuse its object for the next request.
    const { method, url } = request;
    const body = bodyBytes(request.body);
    const digest = body && body.length > 0 ? await contentDigest(body) : undefined;
    const unsigned = composer.compose(algorithm, { method, url }, body, digest, time);
    return unsigned.complete(await signBase(latin1Bytes(unsigned.signatureBase)));
  }
  return { keyid, sign };
}
