import { createHash } from 'node:crypto';
import { KeyStoreError } from './key-store-error.ts';
import { keyTitle } from './public-key.ts';

/** Hashes the message, for stores that sign digests. */
export function sha256Of(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Decodes Base64 from a store's response. `Buffer.from` alone would skip invalid characters. */
export function decodeBase64(text: unknown, encoding: 'base64' | 'base64url', store: string): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text, encoding) : Buffer.alloc(0);
  if (bytes.length === 0 || bytes.toString(encoding) !== text)
    throw new KeyStoreError('answer_invalid', `${store} returned no valid Base64.`);
  return bytes;
}

/** Checks that bytes from a store can be a signature by a key that the service accepts. */
export function signatureOf(bytes: Uint8Array | undefined, store: string): Uint8Array {
  if (bytes && bytes.length >= 256 && bytes.length <= 1024) return bytes;
  const length = bytes === undefined ? 'no bytes' : `${bytes.length} bytes`;
  throw new KeyStoreError(
    'answer_invalid',
    `${store} returned ${length} where an ${keyTitle} signature of 256 to 1,024 bytes was expected. Is it an ${keyTitle} key?`,
  );
}

/** Makes a store's text fit for a message and a log: one line of printable ASCII, not too long. */
export function visibleText(text: unknown): string {
  if (typeof text !== 'string') return '';
  const line = text.replaceAll(/[^\x20-\x7e]+/g, ' ').trim();
  return line.length > textLengthMax ? `${line.slice(0, textLengthMax)}…` : line;
}

const textLengthMax = 300;
