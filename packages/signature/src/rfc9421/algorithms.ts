/** The names of the implemented algorithms, as in the registry of RFC 9421 section 6.2.2 and in the `alg` parameter. */
export type AlgorithmName = 'rsa-v1_5-sha256';

/** Everything the implementation needs to know about one signature algorithm (RFC 9421 section 6.2). */
export interface SignatureAlgorithm {
  /** Its name in the registry and in the `alg` parameter. */
  readonly name: AlgorithmName;
  /** The kind of its keys, as `node:crypto` and JWK (in upper case) name it. */
  readonly keyKind: 'rsa';
  /** True if a key has exactly one signature for each base, so that equal requests carry equal signatures. */
  readonly isUnique: boolean;
  /** OpenSSL's name for the hash function. */
  readonly hash: string;
  /** The length of the hash. */
  readonly hashBytes: number;
  /** Web Crypto's name for the algorithm. */
  readonly webCrypto: { readonly name: string; readonly hash: string };
  /** DigestInfo in DER, up to the digest that ends it (RFC 8017 section 9.2, note 1). */
  readonly digestInfo: readonly number[];
}

/** The implemented algorithms, by name. */
export const algorithms: Readonly<Record<AlgorithmName, SignatureAlgorithm>> = {
  'rsa-v1_5-sha256': {
    name: 'rsa-v1_5-sha256',
    keyKind: 'rsa',
    isUnique: true,
    hash: 'sha256',
    hashBytes: 32,
    webCrypto: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    digestInfo: [
      0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
      0x04, 0x20,
    ],
  },
};
