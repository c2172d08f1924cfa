/** The algorithms of signatures, by their names in `alg`, as the API's texts name them: facts of the package `signature`. */
export const signingAlgorithms = {
  'rsa-v1_5-sha256': { keyTitle: 'RSA', scheme: 'RSASSA-PKCS1-v1_5 and SHA-256' },
  ed25519: { keyTitle: 'Ed25519', scheme: 'Ed25519' },
  'ecdsa-p256-sha256': { keyTitle: 'ECDSA P-256', scheme: 'ECDSA over P-256 and SHA-256' },
  'ecdsa-p384-sha384': { keyTitle: 'ECDSA P-384', scheme: 'ECDSA over P-384 and SHA-384' },
} as const;

/** The name of an algorithm in the `alg` parameter. */
export type SigningAlgorithmName = keyof typeof signingAlgorithms;

/** Returns true for an algorithm that the closed profiles sign with; false for the other ones that keys can be for. */
export function isSigningAlgorithm(name: string): name is SigningAlgorithmName {
  return Object.hasOwn(signingAlgorithms, name);
}

/** The algorithms that a key can be registered for: those, and RSASSA-PSS for clients whose profile signs with it. */
export const keyAlgorithms = {
  ...signingAlgorithms,
  'rsa-pss-sha512': { keyTitle: 'RSA-PSS', scheme: 'RSASSA-PSS and SHA-512' },
  PS256: { keyTitle: 'RSA-PSS', scheme: 'RSASSA-PSS and SHA-256' },
} as const;

/** The name of such an algorithm: as in `alg`, or as in JSON Web Keys if `alg` has none. */
export type KeyAlgorithmName = keyof typeof keyAlgorithms;

/** The algorithms of RSA keys, the usual one first. Keys of other kinds have one algorithm each. */
export const rsaAlgorithms = ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256'] as const;

/** The algorithm of examples, and of those who need not choose. */
export const usualAlgorithm: SigningAlgorithmName = 'rsa-v1_5-sha256';

/** The kinds of keys: `A, B or C`. */
export const keyTitles: string = alternatives(
  Object.values(signingAlgorithms).map(({ keyTitle }) => keyTitle),
);

/** The types of keys in lines of OpenSSH. */
export const sshKeyTypes = ['ssh-rsa', 'ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384'] as const;

/** The forms in which a public key may be given. */
export const publicKeyForms: string = `PEM, bare Base64, certificate, JWK, ${alternatives(sshKeyTypes)} line`;

/** Joins alternatives for a sentence: `A, B or C`. */
export function alternatives(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}
