import { type AlgorithmName, algorithms, type KeyKind, type SignatureAlgorithm } from './algorithms.ts';

/**
 * The algorithms that a public key can be registered for: those of the closed profiles, and RSASSA-PSS for others. `PS256` has
 * no name in the registry of RFC 9421 section 6.2.2, so `alg` never announces it.
 */
export type KeyAlgorithm = AlgorithmName | 'rsa-pss-sha512' | 'PS256';

/** What verifying and registering need to know about one algorithm of public keys (RFC 9421 section 3.3). */
export interface KeyAlgorithmFacts extends Pick<
  SignatureAlgorithm,
  'keyTitle' | 'scheme' | 'signatureBytes' | 'webCrypto'
> {
  /** The kind of its keys. RSA keys have several algorithms; each key is used with one of them only. */
  readonly keyKind: KeyKind;
  /** The length of the salt of RSASSA-PSS: that of the hash. Undefined for other algorithms. */
  readonly saltBytes?: number;
  /** Its names in JSON Web Keys (RFC 7518, RFC 8037, RFC 9864). */
  readonly jwa: readonly string[];
  /** True if `alg` can announce it. */
  readonly isRegistered: boolean;
}

/** The algorithms of public keys, by name. The first of a kind is what a key is for unless something else is said. */
export const keyAlgorithms: Readonly<Record<KeyAlgorithm, KeyAlgorithmFacts>> = {
  'rsa-v1_5-sha256': ofClosedProfiles('rsa-v1_5-sha256', 'RS256'),
  'rsa-pss-sha512': { ...pss(512), jwa: ['PS512'], isRegistered: true },
  PS256: { ...pss(256), jwa: ['PS256'], isRegistered: false },
  'ecdsa-p256-sha256': ofClosedProfiles('ecdsa-p256-sha256', 'ES256'),
  'ecdsa-p384-sha384': ofClosedProfiles('ecdsa-p384-sha384', 'ES384'),
  ed25519: ofClosedProfiles('ed25519', 'EdDSA', 'Ed25519'),
};

function ofClosedProfiles(name: AlgorithmName, ...jwa: readonly string[]): KeyAlgorithmFacts {
  const { keyKind, keyTitle, scheme, webCrypto, signatureBytes } = algorithms[name];
  return { keyKind, keyTitle, scheme, webCrypto, signatureBytes, jwa, isRegistered: true };
}

/** RSASSA-PSS with MGF1 and a salt as long as the hash (RFC 9421 section 3.3.1, RFC 7518 section 3.5). */
function pss(hashBits: 256 | 512): Omit<KeyAlgorithmFacts, 'jwa' | 'isRegistered'> {
  const { keyKind, signatureBytes } = algorithms['rsa-v1_5-sha256'];
  const hash = `SHA-${hashBits}`;
  return {
    keyKind,
    keyTitle: 'RSA-PSS',
    scheme: `RSASSA-PSS and ${hash}`,
    webCrypto: { name: 'RSA-PSS', hash },
    signatureBytes,
    saltBytes: hashBits / 8,
  };
}

/** The names, in the order of the table. */
export const keyAlgorithmNames: readonly KeyAlgorithm[] = Object.keys(
  keyAlgorithms,
) as readonly KeyAlgorithm[];

/** Returns true for the name of an algorithm of public keys. */
export function isKeyAlgorithm(name: unknown): name is KeyAlgorithm {
  return typeof name === 'string' && Object.hasOwn(keyAlgorithms, name);
}

/** Returns the algorithms that a key of a kind can be registered for, the usual one first. */
export function algorithmsOfKind(kind: KeyKind): readonly KeyAlgorithm[] {
  return keyAlgorithmNames.filter((name) => keyAlgorithms[name].keyKind === kind);
}

/** What decides the algorithm of a key that is registered. */
export interface AlgorithmLimits {
  readonly kind: KeyKind;
  /** Those that the key itself says that it is for; undefined if it does not say. */
  readonly claimed: readonly KeyAlgorithm[] | undefined;
  /** Those that its owner's profile signs with; undefined if the profile is not known. */
  readonly allowed: readonly string[] | undefined;
}

/** Returns the algorithms that a key can be registered for, and the one that it is for unless something else is said. */
export function algorithmsToChoose({ kind, claimed, allowed }: AlgorithmLimits): {
  readonly possible: readonly KeyAlgorithm[];
  /** Undefined if there are several, of which none is usual. */
  readonly usual: KeyAlgorithm | undefined;
} {
  const ofKind = algorithmsOfKind(kind);
  const possible = ofKind.filter(
    (name) => (claimed?.includes(name) ?? true) && (allowed?.includes(name) ?? true),
  );
  const [first, second] = possible;
  return { possible, usual: second === undefined || first === ofKind[0] ? first : undefined };
}

/** Returns the algorithm of public keys that a JWK's `alg` names (RFC 7518, RFC 8037, RFC 9864); undefined for others. */
export function publicKeyAlgorithmNamed(alg: string): KeyAlgorithm | undefined {
  return keyAlgorithmNames.find((name) => keyAlgorithms[name].jwa.includes(alg));
}
