/**
 * Shared secrets for `hmac-sha256` (RFC 9421 section 3.3.3), apart from the rest: whoever can verify can also sign, so
 * Countersign's service has no such keys.
 *
 * @module
 */
import { type BytesLike, givenBytes } from '../arguments/check-argument.ts';
import { encodeBase64 } from '../rfc9421/base64.ts';
import type { MessageSigningKey, MessageVerifyingKey } from './algorithms.ts';

/**
 * Returns a key of a shared secret, of at least 32 bytes: of fewer, the hash function's length promises more than the key
 * holds (RFC 2104 section 3).
 *
 * @throws TypeError for a secret that is no bytes, or a short one
 */
export async function hmacKey(secret: BytesLike): Promise<MessageSigningKey & MessageVerifyingKey> {
  const bytes = givenBytes(secret, 'secret').slice();
  if (bytes.length < 32) throw new TypeError('secret must have at least 32 bytes.');
  const parameters = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, parameters, false, ['sign', 'verify']);
  // A digest of the secret itself would let others try secrets.
  const name = new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode('id')));
  return {
    algorithm: 'hmac-sha256',
    id: `HMAC:${encodeBase64(name)}`,
    sign: async (base) => new Uint8Array(await crypto.subtle.sign('HMAC', key, base)),
    // Compares in constant time (Web Cryptography section 14.3.4 leaves it to the runtime, and all of them do).
    verifies: (base, signature) => crypto.subtle.verify('HMAC', key, signature, base),
  };
}
