import { sha256 } from '../hashes/sha256.ts';

/** The longest input that is hashed at once: it takes less time than another thread needs to begin. */
const shortBytesMax = 2048;

/**
 * Returns SHA-256 with Web Crypto, which hands each operation to another thread; the digest of a short input is ready before
 * that thread would be.
 */
export async function webSha256(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length <= shortBytesMax) return sha256(bytes);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
}
