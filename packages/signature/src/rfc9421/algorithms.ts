/** Everything the implementation needs to know about one signature algorithm (RFC 9421 section 6.2). */
export interface SignatureAlgorithm {
  /** The name in the registry and in the `alg` parameter. */
  readonly name: string;
  /** The hash function, by its name in OpenSSL. */
  readonly hash: string;
  /** What Web Crypto calls the algorithm. */
  readonly webCrypto: { readonly name: string; readonly hash: string };
}

/** The algorithms that are implemented, by name. */
export const algorithms: Readonly<Record<'rsa-v1_5-sha256', SignatureAlgorithm>> = {
  'rsa-v1_5-sha256': {
    name: 'rsa-v1_5-sha256',
    hash: 'sha256',
    webCrypto: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  },
};
