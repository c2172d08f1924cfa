/** The algorithms of signatures, by their names in `alg`, as the API's texts name them: facts of the package `signature`. */
export const signingAlgorithms = {
  'rsa-v1_5-sha256': { keyTitle: 'RSA', scheme: 'RSASSA-PKCS1-v1_5 and SHA-256' },
  ed25519: { keyTitle: 'Ed25519', scheme: 'Ed25519' },
} as const;

/** The name of an algorithm in the `alg` parameter. */
export type SigningAlgorithmName = keyof typeof signingAlgorithms;

/** The algorithm of examples, and of those who need not choose. */
export const usualAlgorithm: SigningAlgorithmName = 'rsa-v1_5-sha256';

/** The kinds of keys: `A or B`. */
export const keyTitles: string = Object.values(signingAlgorithms)
  .map(({ keyTitle }) => keyTitle)
  .join(' or ');

/** The forms in which a public key may be given. */
export const publicKeyForms = 'PEM, bare Base64, certificate, JWK, ssh-rsa or ssh-ed25519 line';
