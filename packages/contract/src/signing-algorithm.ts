/** The algorithm of signatures and its keys, as the API's texts name them: facts of the package `signature`. */
export const signingAlgorithm = {
  /** Its name in the `alg` parameter. */
  name: 'rsa-v1_5-sha256',
  scheme: 'RSASSA-PKCS1-v1_5 and SHA-256',
  keyTitle: 'RSA',
  publicKeyForms: 'PEM, bare Base64, certificate, JWK or ssh-rsa line',
} as const;
