import { signatureBytesMax, signatureBytesMin } from '../keys/signature-range.ts';
import { type Awaitable, isPromise } from '../profile/examination.ts';

/** A runtime's operation with public keys, ready for one signature base. */
export interface KeyTrial<Key> {
  /** Keys of the signature's length that belong to no client, or to others. A signature never counts as verified by them. */
  readonly decoys: readonly Key[];
  /** Returns true if this key made the signature. Costs one operation of its length, whatever the signature. */
  verifies(key: Key, signature: Uint8Array): Awaitable<boolean>;
}

/** As many keys as a client can have during a rollover: a signature that none verifies costs as many operations. */
const operationsMin = 2;

/** Returns true if a signature has the length of one by a key that may be registered. */
export function isSignatureLength(bytes: number, bytesMax: number = signatureBytesMax): boolean {
  return bytes >= signatureBytesMin && bytes <= bytesMax;
}

/**
 * Tries each key of the signature's length, and returns the index of the one that verifies, or -1.
 *
 * A signature that no key verifies costs exactly two operations of its length, so that timing does not reveal which client it
 * names: decoys take the places of keys that are missing or have another length. That holds for up to two keys.
 *
 * @param decoyPlace the first of the two decoys to use
 * @param isReal false for keys of another client, which stand in for one that does not exist: nothing verifies by them
 */
export function findKey<Key extends { readonly modulusBytes: number }>(
  trial: KeyTrial<Key>,
  keys: readonly Key[],
  signature: Uint8Array,
  decoyPlace: number,
  isReal: boolean,
  start: number = 0,
): Awaitable<number> {
  for (let index = start; index < Math.max(operationsMin, keys.length); index++) {
    const key = keys[index];
    const fits = key !== undefined && key.modulusBytes === signature.length;
    if (!fits && index >= operationsMin) continue;
    const verified = trial.verifies(fits ? key : trial.decoys[decoyPlace + index]!, signature);
    if (isPromise(verified)) {
      const next = index + 1;
      return verified.then((isVerified) =>
        isVerified && fits && isReal ? index : findKey(trial, keys, signature, decoyPlace, isReal, next),
      );
    }
    if (verified && fits && isReal) return index;
  }
  return -1;
}
