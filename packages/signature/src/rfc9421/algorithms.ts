/** Everything the implementation needs to know about one signature algorithm (RFC 9421 section 6.2). */
export interface SignatureAlgorithm {
  /** Its name in the registry and in the `alg` parameter. */
  readonly name: string;
  /** OpenSSL's name for the hash function. */
  readonly hash: string;
  /** Web Crypto's name for the algorithm. */
  readonly webCrypto: { readonly name: string; readonly hash: string };
}

/** The implemented algorithms, by name. */
export const algorithms: Readonly<Record<'rsa-v1_5-sha256', SignatureAlgorithm>> = {
  'rsa-v1_5-sha256': {
    name: 'rsa-v1_5-sha256',
    hash: 'sha256',
    webCrypto: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  },
};
