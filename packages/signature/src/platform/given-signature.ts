import { signatureBytesMin } from '../keys/signature-range.ts';
import { SigningError } from '../profile/signing.ts';

/**
 * Returns what the caller's signing function returned, if it can be a signature.
 *
 * @param hint a sentence to add to the error's message
 */
export function givenSignature(signature: unknown, hint: string = ''): Uint8Array {
  if (signature instanceof Uint8Array && signature.length >= signatureBytesMin) return signature;
  throw new SigningError(
    'signing_failed',
    `The signing function must return the signature bytes (${signatureBytesMin} or more).${hint}`,
  );
}
