/** The names of the implemented algorithms, as in the registry of RFC 9421 section 6.2.2 and in the `alg` parameter. */
export type AlgorithmName = 'rsa-v1_5-sha256' | 'ed25519' | 'ecdsa-p256-sha256' | 'ecdsa-p384-sha384';

/** The kinds of keys. Keys for different curves are of different kinds. */
export type KeyKind = 'rsa' | 'ed25519' | 'p-256' | 'p-384';

/** Web Crypto's parameters for generating a key pair, in a type that needs no declarations of a browser. */
export interface KeyPairParameters {
  readonly name: string;
  readonly hash?: string;
  readonly namedCurve?: string;
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
   * What the replay guard recognizes a request by. The signature will do if nobody without the private key can turn it into
   * a different one for the same base (strong unforgeability); otherwise an eavesdropper could send a request once more, so
   * it must be the base.
   */
  readonly replayId: 'signature' | 'base';
  /** The lengths of its signatures, by any key that may be registered. */
  readonly signatureBytes: { readonly min: number; readonly max: number };
  /** Web Crypto's name for the algorithm. */
  readonly webCrypto: { readonly name: string; readonly hash: string; readonly namedCurve?: string };
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
    replayId: 'signature',
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
    replayId: 'signature',
    signatureBytes: { min: 64, max: 64 },
    // The algorithm's own hash, which Web Crypto ignores.
    webCrypto: { name: 'Ed25519', hash: 'SHA-512' },
    newKeyPair: () => ({ name: 'Ed25519' }),
  },
  'ecdsa-p256-sha256': ecdsa('ecdsa-p256-sha256', 'P-256', 256),
  'ecdsa-p384-sha384': ecdsa('ecdsa-p384-sha384', 'P-384', 384),
};

/** ECDSA over a curve (RFC 9421 sections 3.3.4 and 3.3.5), with the hash function of the curve's size. */
function ecdsa(name: AlgorithmName, curve: 'P-256' | 'P-384', bits: number): SignatureAlgorithm {
  const webCrypto = { name: 'ECDSA', hash: `SHA-${bits}`, namedCurve: curve };
  return {
    name,
    keyKind: curve === 'P-256' ? 'p-256' : 'p-384',
    keyTitle: `ECDSA ${curve}`,
    scheme: `ECDSA over ${curve} and SHA-${bits}`,
    // Anyone can turn (r, s) into (r, n − s), which verifies too.
    replayId: 'base',
    // r and s, each as long as the curve's numbers.
    signatureBytes: { min: bits / 4, max: bits / 4 },
    webCrypto,
    newKeyPair: () => ({ name: webCrypto.name, namedCurve: curve }),
  };
}

/** The kinds of keys that can be used, for messages: `A, B or C`. */
export const keyTitles: string = alternatives(Object.values(algorithms).map(({ keyTitle }) => keyTitle));

/** Joins alternatives for a sentence: `A, B or C`. */
export function alternatives(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

/** Returns the implemented algorithm with this name. */
export function algorithmNamed(name: string): SignatureAlgorithm | undefined {
  return Object.hasOwn(algorithms, name) ? algorithms[name as AlgorithmName] : undefined;
}

/** Returns the algorithm of a `CryptoKey`, by its `algorithm`. @throws TypeError for one that is not supported */
export function algorithmOfWebCrypto(given: {
  readonly name: string;
  readonly namedCurve?: string;
}): SignatureAlgorithm {
  const { name, namedCurve } = given;
  const algorithm = Object.values(algorithms).find(
    ({ webCrypto }) =>
      webCrypto.name === name && (webCrypto.namedCurve === undefined || webCrypto.namedCurve === namedCurve),
  );
  if (algorithm === undefined) throw new TypeError(`No algorithm uses ${name}.`);
  return algorithm;
}
