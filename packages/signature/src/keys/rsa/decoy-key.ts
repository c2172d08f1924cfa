import { encodeBase64 } from '../../rfc9421/base64.ts';

/** A public key that belongs to no client, as a JWK. */
export interface DecoyKey {
  readonly modulus: Uint8Array;
  readonly jwk: { readonly kty: 'RSA'; readonly n: string; readonly e: 'AQAB' };
}

/** Makes a decoy from random bytes: with a random odd modulus, an operation takes as long as with a real one. */
export function decoyKey(random: Uint8Array): DecoyKey {
  const modulus = random.slice();
  modulus[0]! |= 0x80;
  modulus[modulus.length - 1]! |= 1;
  const n = encodeBase64(modulus).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
  return { modulus, jwk: { kty: 'RSA', n, e: 'AQAB' } };
}
