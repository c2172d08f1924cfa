import { checkObject } from '../arguments/check-argument.ts';
import {
  bodyBytes,
  type RequestToSign,
  type RequestWithBody,
  type SignatureComposer,
  type SignedRequest,
  type SignedRequestWithBody,
  SigningError,
  type SigningTime,
} from '../profile/signing.ts';
import { type Awaitable, isPromise } from '../profile/examination.ts';
import { defaultProfile } from '../profile/profiles.ts';
import { type AlgorithmName, algorithmNamed } from '../rfc9421/algorithms.ts';
import { givenSignature } from './given-signature.ts';
import { latin1Bytes } from './latin1-bytes.ts';

/** Signs one client's requests with one key, without blocking the event loop. */
export interface AsyncSigner {
  readonly keyid: string;
  /** Signs a request. Rejects with SigningError if the request cannot be signed. */
  sign(request: RequestWithBody, time?: SigningTime): Promise<SignedRequestWithBody>;
  sign(request: RequestToSign, time?: SigningTime): Promise<SignedRequest>;
}

/** A function that signs complete signature bases. */
export interface BaseSigner<Signature> {
  (signatureBase: Uint8Array): Signature;
  /** Returns the algorithm that it signs with. Without it, that is the profile's first one. */
  readonly algorithm?: (() => Awaitable<AlgorithmName>) | undefined;
}

/** A private key, or a function that signs with one, ready to sign complete signature bases. */
export interface OpenSigningKey {
  /** Returns what the key is used for, and nothing else. Asked before each signature: another key may have replaced it. */
  readonly algorithm: () => Awaitable<AlgorithmName>;
  readonly signBase: (base: Uint8Array, algorithm: AlgorithmName) => Promise<Uint8Array>;
}

/** Returns a key's function that signs bases, which says its algorithm. */
export function baseSignerOf({ algorithm, signBase }: OpenSigningKey): BaseSigner<Promise<Uint8Array>> {
  return Object.assign(async (base: Uint8Array) => signBase(base, await algorithm()), { algorithm });
}

/** Opens the caller's function that signs. */
export function openSigningFunction(sign: BaseSigner<Uint8Array | Promise<Uint8Array>>): OpenSigningKey {
  return {
    algorithm: async () => checkedAlgorithm(await sign.algorithm?.()),
    signBase: async (base, algorithm) => givenSignature(await sign(base), algorithm),
  };
}

/** Returns the algorithm that a signing function says it uses. */
export function checkedAlgorithm(name: unknown = defaultProfile.algorithm.name): AlgorithmName {
  const algorithm = typeof name === 'string' ? algorithmNamed(name) : undefined;
  if (algorithm === undefined)
    throw new SigningError(
      'private_key_invalid',
      'The signing function uses an algorithm that is not supported.',
    );
  return algorithm.name;
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
    const named = algorithm();
    const name = isPromise(named) ? await named : named;
    const digest = body && body.length > 0 ? await contentDigest(body) : undefined;
    const unsigned = composer.compose(name, { method, url }, body, digest, time);
    return unsigned.complete(await signBase(latin1Bytes(unsigned.signatureBase), name));
  }
  return { keyid, sign };
}
