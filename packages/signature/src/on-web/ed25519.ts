import { hasSmallOrder } from '../keys/ed25519/edwards-point.ts';
import { readEncodedPublicKey } from '../keys/key-encodings.ts';
import { algorithms } from '../rfc9421/algorithms.ts';
import type { VerificationKey, WebAlgorithm } from './verification-key.ts';

const { name: algorithm, webCrypto } = algorithms.ed25519;
const signatureBytes = 64;

/** Ed25519 (RFC 8032 section 5.1). */
export const ed25519OnWeb: WebAlgorithm = {
  async verificationKey(spkiDer) {
    const encoded = readEncodedPublicKey(spkiDer);
    if (encoded === undefined) throw new TypeError('The key is not an Ed25519 key.');
    // Registration refuses it, but a registry may hold what was written past it.
    if (hasSmallOrder(encoded.subjectPublicKey)) throw new TypeError('Anyone can sign for this key.');
    const spki = new Uint8Array(spkiDer);
    return readyKey(await crypto.subtle.importKey('spki', spki, webCrypto, false, ['verify']));
  },
  async createDecoy() {
    const pair = (await crypto.subtle.generateKey(webCrypto, false, ['sign', 'verify'])) as CryptoKeyPair;
    return readyKey(pair.publicKey);
  },
  async verifies({ cryptoKey }, signature, base) {
    // Not every runtime checks that S is below the group's order, without which anyone could change a signature.
    const isCanonical = isCanonicalEd25519(signature);
    const copy = new Uint8Array(signature);
    return (await crypto.subtle.verify(webCrypto, cryptoKey as CryptoKey, copy, base)) && isCanonical;
  },
};

async function readyKey(cryptoKey: CryptoKey): Promise<VerificationKey> {
  await crypto.subtle.verify(webCrypto, cryptoKey, new Uint8Array(signatureBytes), new Uint8Array(0));
  return { algorithm, cryptoKey, signatureBytes, greatestSignature: noNumber };
}

const noNumber = new Uint8Array(0);

/** The group's order L (RFC 8032 section 5.1), little-endian as in a signature. */
const order = [
  0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/** Returns true if a signature's number S is below the group's order. */
export function isCanonicalEd25519(signature: Uint8Array): boolean {
  return signature.length === signatureBytes && isBelowOrder(signature.subarray(32));
}

function isBelowOrder(s: Uint8Array): boolean {
  let borrow = 0;
  for (const [index, byte] of order.entries()) borrow = (s[index]! - byte - borrow) >>> 31;
  return borrow === 1;
}
