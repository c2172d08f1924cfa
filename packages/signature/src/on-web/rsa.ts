import { decoyKey } from '../keys/rsa/decoy-key.ts';
import { readSubjectPublicKeyInfo } from '../keys/rsa/public-encoding.ts';
import { greatestSignature } from '../keys/rsa/signature-range.ts';
import { algorithms } from '../rfc9421/algorithms.ts';
import type { VerificationKey, WebAlgorithm } from './verification-key.ts';

const { name: algorithm, webCrypto } = algorithms['rsa-v1_5-sha256'];

/** RSASSA-PKCS1-v1_5 with SHA-256. */
export const rsaOnWeb: WebAlgorithm = {
  async verificationKey(spkiDer) {
    const numbers = readSubjectPublicKeyInfo(spkiDer);
    if (typeof numbers === 'string') throw new TypeError('The key is not an RSA key.');
    const spki = new Uint8Array(spkiDer);
    const cryptoKey = await crypto.subtle.importKey('spki', spki, webCrypto, false, ['verify']);
    return readyKey(cryptoKey, numbers.modulus);
  },
  async createDecoy(signatureBytes) {
    const { modulus, jwk } = decoyKey(crypto.getRandomValues(new Uint8Array(signatureBytes)));
    return readyKey(await crypto.subtle.importKey('jwk', jwk, webCrypto, false, ['verify']), modulus);
  },
  /**
   * Runtimes skip the RSA operation if the signature is not below the modulus, which reveals something about the
   * key. In that case this verifies the signature without its first byte, which is small enough for every key of
   * its length.
   */
  async verifies({ cryptoKey, greatestSignature: greatest }, signature, base) {
    const isInRange = isAtMost(signature, greatest);
    const operand = new Uint8Array(signature);
    operand[0] = isInRange ? signature[0]! : 0;
    return (await crypto.subtle.verify(webCrypto, cryptoKey as CryptoKey, operand, base)) && isInRange;
  },
};

/** Runtimes prepare a key at its first operation. Doing that now hides from strangers that a key was never used. */
async function readyKey(cryptoKey: CryptoKey, modulus: Uint8Array): Promise<VerificationKey> {
  const greatest = greatestSignature(modulus);
  await crypto.subtle.verify(webCrypto, cryptoKey, greatest, new Uint8Array(0));
  return { algorithm, cryptoKey, signatureBytes: modulus.length, greatestSignature: greatest };
}

/** Compares two numbers of the same length in constant time. */
function isAtMost(number: Uint8Array, limit: Uint8Array): boolean {
  let borrow = 0;
  for (let index = limit.length - 1; index >= 0; index--)
    borrow = (limit[index]! - number[index]! - borrow) >>> 31;
  return borrow === 0;
}
