import type { AlgorithmName, KeyKind } from '../rfc9421/algorithms.ts';
import type { AlgorithmIdentifier, EncodedPrivateKey, EncodedPublicKey } from './key-encodings.ts';
import type { PrivateKeyRefusal } from './private-key-refusal.ts';
import type { PublicKeyPolicy, PublicKeyRefusal } from './public-key-refusal.ts';

/** What every public key has that passed the checks, of whatever kind. */
export interface KeyFacts {
  readonly kind: KeyKind;
  /** The only algorithm that the key is used with. */
  readonly algorithm: AlgorithmName;
  /** Its size in bits, as people compare it. */
  readonly bits: number;
  /**
   * DER SubjectPublicKeyInfo, re-encoded from the key's parts: equal for equal keys, whatever form they were read
   * from.
   */
  readonly spkiDer: Uint8Array<ArrayBuffer>;
}

/** A public key whose parts were read, but not examined. */
export interface UnexaminedKey<Facts extends KeyFacts = KeyFacts> {
  /** Finds the reason why the key may not be registered. Runs in steps of about a millisecond. */
  readonly examine: (policy: PublicKeyPolicy) => Generator<void, PublicKeyRefusal | undefined>;
  /** Returns what `readPublicKey` returns about the key once it has passed. */
  readonly facts: () => Facts;
}

/** A private key whose parts were read and fit each other. */
export interface PrivateKeyFacts {
  /** DER PKCS#8 PrivateKeyInfo, as WebCrypto and node:crypto import it. Secret. */
  readonly pkcs8Der: Uint8Array<ArrayBuffer>;
  readonly bits: number;
}

/** The types of keys in OpenSSH's lines. */
export type SshKeyType = 'ssh-rsa' | 'ssh-ed25519' | 'ecdsa-sha2-nistp256' | 'ecdsa-sha2-nistp384';

/** One kind of key: how it is written, and what makes it unusable. */
export interface KeyReader<Facts extends KeyFacts = KeyFacts> {
  readonly kind: KeyKind;
  readonly algorithm: AlgorithmName;
  /** Returns the length of the longest signature by a key that a policy allows. */
  readonly signatureBytesMax: (policy: PublicKeyPolicy) => number;
  /** Returns true for an AlgorithmIdentifier of its keys, and for those that it rejects with a reason. */
  readonly isFor: (identifier: AlgorithmIdentifier) => boolean;
  /** Reads the key in a SubjectPublicKeyInfo of which `isFor` is true. */
  readonly readPublicKey: (encoded: EncodedPublicKey) => UnexaminedKey<Facts> | PublicKeyRefusal;
  /** Reads the key in a PrivateKeyInfo of which `isFor` is true. */
  readonly readPrivateKey: (encoded: EncodedPrivateKey) => PrivateKeyFacts | PrivateKeyRefusal;
  readonly jwk: {
    /** The values of `kty`; the first is the one to recommend. */
    readonly types: readonly string[];
    /** The value of `crv`; undefined for keys without a curve. */
    readonly curve?: string;
    /** The members that only its public keys have. */
    readonly members: readonly string[];
    /** Every private number of such a key has more characters in Base64url. */
    readonly privateLengthMin: number;
    /** Reads the members of a JWK (RFC 7517 section 4) that depend on the kind, `alg` among them. */
    readonly read: (jwk: Readonly<Record<string, unknown>>) => UnexaminedKey<Facts> | PublicKeyRefusal;
  };
  readonly cryptoKey: {
    /** Completes `The CryptoKey must be a private …`. */
    readonly description: string;
    /** Returns true for the `algorithm` of a CryptoKey that may sign requests. */
    readonly fits: (algorithm: { readonly name: string; readonly namedCurve?: string }) => boolean;
  };
  readonly ssh: {
    /** The type that begins a line of OpenSSH, and its key in Base64. */
    readonly type: SshKeyType;
    /** Reads the strings after the type; undefined if they are damaged. */
    readonly read: (strings: readonly Uint8Array[]) => UnexaminedKey<Facts> | undefined;
  };
}
