import { algorithms, type AlgorithmName } from '../rfc9421/algorithms.ts';
import { SigningError } from '../profile/signing.ts';

/**
 * Returns what the caller's signing function returned, if it can be a signature.
 *
 * @param algorithm the one that the function signs with
 * @param hint a sentence to add to the error's message
 */
export function givenSignature(signature: unknown, algorithm: AlgorithmName, hint: string = ''): Uint8Array {
  const { signatureBytes, webCrypto } = algorithms[algorithm];
  const { min, max } = signatureBytes;
  if (signature instanceof Uint8Array && signature.length >= min && signature.length <= max) return signature;
  const lengths = min === max ? `${min}` : `${min} or more`;
  const form = webCrypto.name === 'ECDSA' ? ': r and s, not DER' : '';
  throw new SigningError(
    'signing_failed',
    `The signing function must return the signature bytes (${lengths}${form}).${hint}`,
  );
}
