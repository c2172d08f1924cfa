import { SigningError } from '@countersign/signature';
import type { KeySource } from './key-source.ts';
import type { SignFunction } from './options.ts';

/** Returns a function that signs with a key source. The store's error becomes the cause of a SigningError. */
export function signWithSource(source: KeySource): (bytes: Uint8Array) => Promise<Uint8Array> {
  return signWithFunction((bytes) => source.sign(bytes), `The key ${source.keyId}`);
}

/** Does the same for a function that signs. */
export function signWithFunction(
  sign: SignFunction,
  name: string = 'The function privateKey',
): (bytes: Uint8Array) => Promise<Uint8Array> {
  return async (bytes) => {
    let signature: Uint8Array;
    try {
      signature = await sign(bytes);
    } catch (error) {
      if (error instanceof SigningError) throw error;
      throw new SigningError('signing_failed', `${name} could not sign; the cause says why.`, {
        cause: error,
      });
    }
    if (signature instanceof Uint8Array && signature.length >= 256 && signature.length <= 1024)
      return signature;
    throw new SigningError('signing_failed', `${name} must return a signature of 256 to 1,024 bytes.`);
  };
}
