import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** Generates a key pair for a demonstration in a thread of Node's pool. */
export function makeDemoKeyPair(
  bits = 2048,
): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> {
  return promisify(generateKeyPair)('rsa', { modulusLength: bits });
}
