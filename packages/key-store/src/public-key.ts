import { createPublicKey, type KeyObject } from 'node:crypto';
import { KeyStoreError } from './key-store-error.ts';

/** The kind of keys that the service accepts, as people call it. */
export const keyTitle = 'RSA';

/** A public key as stores return it: PEM, the DER of an SPKI, or the numbers of an RSA key, big-endian. */
export type ReturnedPublicKey =
  | string
  | Uint8Array
  | { readonly modulus: Uint8Array; readonly exponent: Uint8Array };

/**
 * Returns a store's public key as SPKI PEM. Rejects keys that the service would not accept, before anything
 * is signed.
 */
export function publicKeyPem(returned: ReturnedPublicKey, name: string): string {
  const key = read(returned);
  if (key === undefined)
    throw new KeyStoreError('answer_invalid', `The public key of ${name} cannot be read.`);
  const problem = problemOf(key);
  if (problem !== undefined) throw new KeyStoreError('key_unusable', `The key ${name} ${problem}`);
  return key.export({ type: 'spki', format: 'pem' });
}

function read(returned: ReturnedPublicKey): KeyObject | undefined {
  try {
    if (typeof returned === 'string') {
      // `createPublicKey` would also accept a private key.
      return /-----BEGIN (RSA )?PUBLIC KEY-----/.test(returned) ? createPublicKey(returned) : undefined;
    }
    if (returned instanceof Uint8Array)
      return createPublicKey({ key: Buffer.from(returned), format: 'der', type: 'spki' });
    const [n, e] = [returned.modulus, returned.exponent].map((bytes) =>
      Buffer.from(bytes).toString('base64url'),
    );
    return createPublicKey({ key: { kty: 'RSA', n: n!, e: e! }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function problemOf(key: KeyObject): string | undefined {
  if (key.asymmetricKeyType !== 'rsa')
    return `is ${key.asymmetricKeyType ?? 'of an unknown type'}; this package signs only with ${keyTitle} keys. Create one with 3072 bits.`;
  const { modulusLength: bits = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (bits < 2048 || bits > 8192)
    return `has ${bits} bits; the service accepts 2048 to 8192. Create a key with 3072 bits.`;
  if (publicExponent !== 65537n)
    return 'has a public exponent other than 65537, which the service rejects. Create a new key.';
  return undefined;
}
