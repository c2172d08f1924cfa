/** The names of the implemented algorithms, as in the registry of RFC 9421 section 6.2.2 and in the `alg` parameter. */
export type AlgorithmName = 'rsa-v1_5-sha256' | 'ed25519';

/** The kinds of keys, as `node:crypto` names them. */
export type KeyKind = 'rsa' | 'ed25519';

/** Web Crypto's parameters for generating a key pair, in a type that needs no declarations of a browser. */
export interface KeyPairParameters {
  readonly name: string;
  readonly hash?: string;
  readonly modulusLength?: number;
  readonly publicExponent?: Uint8Array<ArrayBuffer>;
}

/** Everything the implementation needs to know about one signature algorithm (RFC 9421 section 6.2). */
export interface SignatureAlgorithm {
  /** Its name in the registry and in the `alg` parameter. */
  readonly name: AlgorithmName;
  /** The kind of its keys. A key is used with one algorithm only, so no two algorithms have the same kind. */
  readonly keyKind: KeyKind;
  /** The kind of its keys, as people call it. */
  readonly keyTitle: string;
  /** The signature scheme and its hash function, for messages: `Sign with …`. */
  readonly scheme: string;
  /**
   * True if nobody without the private key can turn a signature into a different one for the same base (strong
   * unforgeability). The replay guard recognizes a request by its signature, so with any other algorithm an eavesdropper
   * could send a request once more. A signer who makes several signatures for one base gains nothing: it could as well
   * sign several bases.
   */
  readonly isStronglyUnforgeable: boolean;
  /** The lengths of its signatures, by any key that may be registered. */
  readonly signatureBytes: { readonly min: number; readonly max: number };
  /** Web Crypto's name for the algorithm. */
  readonly webCrypto: { readonly name: string; readonly hash: string };
  /** Returns Web Crypto's parameters for generating a key pair of a size, which does not matter for a curve. */
  readonly newKeyPair: (bits: number) => KeyPairParameters;
}

/** The implemented algorithms, by name. */
export const algorithms: Readonly<Record<AlgorithmName, SignatureAlgorithm>> = {
  'rsa-v1_5-sha256': {
    name: 'rsa-v1_5-sha256',
    keyKind: 'rsa',
    keyTitle: 'RSA',
    scheme: 'RSASSA-PKCS1-v1_5 and SHA-256',
    // A base has one valid signature by each key.
    isStronglyUnforgeable: true,
    // Keys of 2,048 to 8,192 bits.
    signatureBytes: { min: 256, max: 1024 },
    webCrypto: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    newKeyPair: (bits) => ({
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      modulusLength: bits,
      // 65537, the only one that is accepted.
      publicExponent: Uint8Array.of(1, 0, 1),
    }),
  },
  ed25519: {
    name: 'ed25519',
    keyKind: 'ed25519',
    keyTitle: 'Ed25519',
    scheme: 'Ed25519',
    // Signatures whose number S is not below the group's order are rejected (RFC 8032 section 5.1.7).
    isStronglyUnforgeable: true,
    signatureBytes: { min: 64, max: 64 },
    // The algorithm's own hash, which Web Crypto ignores.
    webCrypto: { name: 'Ed25519', hash: 'SHA-512' },
    newKeyPair: () => ({ name: 'Ed25519' }),
  },
};

/** The kinds of keys that can be used, for messages: `A or B`. */
export const keyTitles: string = Object.values(algorithms)
  .map(({ keyTitle }) => keyTitle)
  .join(' or ');

/** Returns the implemented algorithm with this name. */
export function algorithmNamed(name: string): SignatureAlgorithm | undefined {
  return Object.hasOwn(algorithms, name) ? algorithms[name as AlgorithmName] : undefined;
}

/** Returns the algorithm of a kind of keys, under `node:crypto`'s name for it; undefined for a kind that is not supported. */
export function algorithmOfKind(kind: string | undefined): SignatureAlgorithm | undefined {
  return Object.values(algorithms).find(({ keyKind }) => keyKind === kind);
}

/** Returns the algorithm of a `CryptoKey`, by Web Crypto's name for it. @throws TypeError for any other name */
export function algorithmOfWebCrypto(name: string): SignatureAlgorithm {
  const algorithm = Object.values(algorithms).find(({ webCrypto }) => webCrypto.name === name);
  if (algorithm === undefined) throw new TypeError(`No algorithm uses ${name}.`);
  return algorithm;
}
