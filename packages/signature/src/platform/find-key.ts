import { isKeyAlgorithm, type KeyAlgorithm, keyAlgorithms } from '../rfc9421/key-algorithms.ts';
import { type Awaitable, isPromise } from '../profile/examination.ts';

/** A public key, ready to verify: what choosing among keys needs to know. */
export interface TriedKey {
  /** What the key is registered for. It verifies signatures of no other algorithm. */
  readonly algorithm: KeyAlgorithm;
  /** The length of each of its signatures. */
  readonly signatureBytes: number;
}

/** A runtime's operation with public keys of one algorithm, ready for one signature base. */
export interface KeyTrial<Key> {
  readonly algorithm: KeyAlgorithm;
  /**
   * Keys of the algorithm and of the signature's length that belong to no client, or to others. A signature never counts as
   * verified by them.
   */
  readonly decoys: readonly Key[];
  /**
   * Returns true if this key made the signature. Costs one operation of its length, whatever the key; none only for a
   * signature that is one of no key.
   */
  verifies(key: Key, signature: Uint8Array): Awaitable<boolean>;
}

/** As many keys as a client can have during a rollover: a signature that none verifies costs as many operations. */
const operationsMin = 2;

/**
 * Returns the name of an implemented algorithm that has signatures of a length, by some key that may be registered.
 *
 * @param bytesMax the length of the longest signature by a key that may be registered here
 */
export function algorithmWith(
  alg: string,
  bytes: number,
  bytesMax: number = Infinity,
): KeyAlgorithm | undefined {
  if (!isKeyAlgorithm(alg)) return undefined;
  const { min, max } = keyAlgorithms[alg].signatureBytes;
  return bytes >= min && bytes <= Math.min(max, bytesMax) ? alg : undefined;
}

/**
 * Tries each key of the announced algorithm and of the signature's length, and returns the index of the one that verifies,
 * or -1.
 *
 * A signature that no key verifies costs exactly two operations of its algorithm and length, so that timing does not reveal
 * which client it names: decoys take the places of keys that are missing, or have another algorithm or length. That holds
 * for up to two keys.
 *
 * @param decoyPlace the first of the two decoys to use
 * @param isReal false for keys of another client, which stand in for one that does not exist: nothing verifies by them
 */
export function findKey<Key extends TriedKey>(
  trial: KeyTrial<Key>,
  keys: readonly Key[],
  signature: Uint8Array,
  decoyPlace: number,
  isReal: boolean,
  start: number = 0,
): Awaitable<number> {
  for (let index = start; index < Math.max(operationsMin, keys.length); index++) {
    const key = keys[index];
    const fits =
      key !== undefined && key.algorithm === trial.algorithm && key.signatureBytes === signature.length;
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
