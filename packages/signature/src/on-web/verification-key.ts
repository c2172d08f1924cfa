import type { TriedKey } from '../platform/find-key.ts';

/** A `CryptoKey`, whichever library declares it. */
export interface WebCryptoKey {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: { readonly name: string; readonly namedCurve?: string };
  readonly usages: readonly string[];
}

/** A public key, ready to verify. Create it once for each registered key. */
export interface VerificationKey extends TriedKey {
  readonly cryptoKey: WebCryptoKey;
  /** The greatest number that is a valid signature of this key, for algorithms whose signatures are numbers. */
  readonly greatestSignature: Uint8Array<ArrayBuffer>;
}

/** One algorithm on Web Crypto. */
export interface WebAlgorithm {
  /**
   * Makes a key ready to verify, and does its first operation.
   *
   * @throws TypeError for a key of another kind
   */
  readonly verificationKey: (spkiDer: Uint8Array) => Promise<VerificationKey>;
  /** Creates a key that belongs to no client, whose signatures have this length. */
  readonly createDecoy: (signatureBytes: number) => Promise<VerificationKey>;
  /** Returns true if this key made the signature over the base. Costs one operation, whatever the signature. */
  readonly verifies: (
    key: VerificationKey,
    signature: Uint8Array,
    base: Uint8Array<ArrayBuffer>,
  ) => Promise<boolean>;
}
