import { KeyObject } from 'node:crypto';
import { generateKeyPair } from '@countersign/signature/node';
import { defaultProfile } from '@countersign/signature/profile';

/** Generates a key pair for a demonstration in a thread of Node's pool. */
export async function makeDemoKeyPair(
  bits = 2048,
): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> {
  const { publicKey, privateKey } = (await generateKeyPair(defaultProfile.algorithm, {
    bits,
    isExtractable: true,
  })) as CryptoKeyPair;
  return { publicKey: KeyObject.from(publicKey), privateKey: KeyObject.from(privateKey) };
}
