import {
  type AlgorithmName,
  type BaseSigner,
  signatureAlgorithm,
  SigningError,
} from '@countersign/signature';
import { algorithms } from '@countersign/signature/rfc9421';
import type { KeySource } from './key-source.ts';
import type { SignFunction } from './options.ts';

/**
 * Returns a function that signs with a key source. The store's error becomes the cause of a SigningError.
 *
 * @param assumed the algorithm of a source that does not say it
 */
export function signWithSource(source: KeySource, assumed?: AlgorithmName): BaseSigner<Promise<Uint8Array>> {
  const sign = (bytes: Uint8Array): Promise<Uint8Array> => source.sign(bytes);
  const algorithm = source.algorithm && (async () => source.algorithm!());
  return signWithFunction(Object.assign(sign, { algorithm }), `The key ${source.keyId}`, assumed);
}

/** Returns a key source's public half. The store's error becomes the cause of a SigningError. */
export async function publicKeyOf(source: KeySource): Promise<string> {
  try {
    return await source.publicKey();
  } catch (error) {
    if (error instanceof SigningError) throw error;
    const message = `The public half of the key ${source.keyId} is not known; the cause says why.`;
    throw new SigningError('signing_failed', message, { cause: error });
  }
}

/** Does the same for a function that signs. */
export function signWithFunction(
  sign: SignFunction,
  name: string = 'The function privateKey',
  assumed?: AlgorithmName,
): BaseSigner<Promise<Uint8Array>> {
  const ask = async <Value>(question: () => Value | Promise<Value>): Promise<Value> => {
    try {
      return await question();
    } catch (error) {
      if (error instanceof SigningError) throw error;
      throw new SigningError('signing_failed', `${name} could not sign; the cause says why.`, {
        cause: error,
      });
    }
  };
  const algorithm = sign.algorithm ? () => ask(() => sign.algorithm!()) : assumed && (async () => assumed);
  const checked = async (bytes: Uint8Array): Promise<Uint8Array> => {
    const { min, max } = algorithms[(await algorithm?.()) ?? signatureAlgorithm].signatureBytes;
    const signature = await ask(() => sign(bytes));
    if (signature instanceof Uint8Array && signature.length >= min && signature.length <= max)
      return signature;
    const lengths = min === max ? `${min}` : `${min} to ${max.toLocaleString('en')}`;
    throw new SigningError('signing_failed', `${name} must return a signature of ${lengths} bytes.`);
  };
  return Object.assign(checked, { algorithm });
}
