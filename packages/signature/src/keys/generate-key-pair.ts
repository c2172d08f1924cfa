import type { SignatureAlgorithm } from '../rfc9421/algorithms.ts';

/**
 * Generates a key pair for an algorithm with Web Crypto.
 *
 * @param bits the size, where keys have several
 * @param isExtractable false if nothing may read the private key, not even this program
 */
export async function generateKeyPair(
  { newKeyPair }: SignatureAlgorithm,
  { bits, isExtractable }: { readonly bits: number; readonly isExtractable: boolean },
): Promise<CryptoKeyPair> {
  // A private and a public key, because all algorithms are asymmetric.
  return (await crypto.subtle.generateKey(newKeyPair(bits), isExtractable, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
}
