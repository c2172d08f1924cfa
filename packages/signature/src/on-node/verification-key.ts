import type { KeyObject, SignKeyObjectInput } from 'node:crypto';
import type { KeyTrial, TriedKey } from '../platform/find-key.ts';

/** A public key, ready to verify. Create it once for each registered key. */
export interface VerificationKey extends TriedKey {
  readonly keyObject: KeyObject;
  /** The greatest number that is a valid signature of this key, for algorithms whose signatures are numbers. */
  readonly greatestSignature: Uint8Array;
}

/** Tries keys on one signature base after another. Verifying is synchronous, so one trial is enough. */
export interface NodeTrial extends KeyTrial<VerificationKey> {
  readonly decoys: VerificationKey[];
  /** Sets the base that the signature must be over. */
  expect(base: Uint8Array): void;
  verifies(key: VerificationKey, signature: Uint8Array): boolean;
}

/** What verifies the signatures of one algorithm on `node:crypto`. */
export interface NodeVerifier {
  /** Creates the trial of signatures of a length, with at least two decoys. */
  readonly createTrial: (signatureBytes: number) => NodeTrial;
  /**
   * Makes a key ready to verify, and does its first operation.
   *
   * @throws TypeError for a key of another kind
   */
  readonly verificationKey: (spkiDer: Uint8Array) => VerificationKey;
}

/** One algorithm of the closed profiles on `node:crypto`. */
export interface NodeAlgorithm extends NodeVerifier {
  /** The hash function to name when signing, if the algorithm leaves a choice. */
  readonly hash: 'sha256' | 'sha384' | undefined;
  /** Returns true for a public or private key of the algorithm's kind. */
  readonly isFor: (key: KeyObject) => boolean;
  /** Returns what to sign with: the key, and how its signatures are written. */
  readonly signingInput: (key: KeyObject) => SignKeyObjectInput;
  /** Returns what is wrong with a private key of the algorithm's kind, in one sentence; undefined if nothing is. */
  readonly problemOfPrivateKey: (key: KeyObject) => string | undefined;
}
