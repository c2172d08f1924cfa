import { KeyObject } from 'node:crypto';
import { defaultProfile } from '@countersign/signature/profile';

/** Generates a key pair for a demonstration in a thread of Node's pool. */
export async function makeDemoKeyPair(
  bits = 2048,
): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> {
  const algorithm = defaultProfile.algorithm.newKeyPair(bits);
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return { publicKey: KeyObject.from(publicKey), privateKey: KeyObject.from(privateKey) };
}
