import type { WebCryptoKey } from '../on-web/verification-key.ts';
import type { SignatureAlgorithm } from '../rfc9421/algorithms.ts';

/** A `CryptoKeyPair`, whichever library declares it. */
export interface WebCryptoKeyPair {
  readonly privateKey: WebCryptoKey;
  readonly publicKey: WebCryptoKey;
}

/**
 * Generates a key pair for an algorithm with Web Crypto.
 *
 * @param bits the size, where keys have several
 * @param isExtractable false if nothing may read the private key, not even this program
 */
export async function generateKeyPair(
  { newKeyPair }: SignatureAlgorithm,
  { bits, isExtractable }: { readonly bits: number; readonly isExtractable: boolean },
): Promise<WebCryptoKeyPair> {
  // A private and a public key, because all algorithms are asymmetric.
  return (await crypto.subtle.generateKey(newKeyPair(bits), isExtractable, [
    'sign',
    'verify',
  ])) as WebCryptoKeyPair;
}
