/**
 * The algorithms of messages: those of RFC 9421's registry (section 6.2.2), and `PS256`, which profiles name for keys that
 * are registered elsewhere. `PS256` has no name in the registry, so `alg` never announces it.
 */
export type MessageAlgorithm =
  | 'rsa-v1_5-sha256'
  | 'rsa-pss-sha512'
  | 'PS256'
  | 'ecdsa-p256-sha256'
  | 'ecdsa-p384-sha384'
  | 'ed25519'
  | 'hmac-sha256';

/** Everything the implementation needs to know about one algorithm (RFC 9421 section 3.3). */
export interface MessageAlgorithmFacts {
  /** The kind of its keys, as `node:crypto` calls them; undefined for shared secrets. */
  readonly keyType: 'rsa' | 'ec' | 'ed25519' | undefined;
  /** Web Crypto's name for the curve. */
  readonly namedCurve?: 'P-256' | 'P-384';
  /** Web Crypto's name for the algorithm. */
  readonly webName: 'RSASSA-PKCS1-v1_5' | 'RSA-PSS' | 'ECDSA' | 'Ed25519' | 'HMAC';
  readonly hash?: 'SHA-256' | 'SHA-384' | 'SHA-512';
  /** The lengths of its signatures, by any key that is accepted. */
  readonly signatureBytes: { readonly min: number; readonly max: number };
  /** The length of the salt of RSASSA-PSS. */
  readonly saltBytes?: number;
  /** Its name in JSON Web Keys, if it has one (RFC 7518, RFC 8037, RFC 9864). */
  readonly jwa: readonly string[];
  /** True if `alg` can announce it. */
  readonly isRegistered: boolean;
}

export const messageAlgorithms: Readonly<Record<MessageAlgorithm, MessageAlgorithmFacts>> = {
  'rsa-v1_5-sha256': {
    signatureBytes: { min: 256, max: 1024 },
    keyType: 'rsa',
    webName: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    jwa: ['RS256'],
    isRegistered: true,
  },
  'rsa-pss-sha512': {
    signatureBytes: { min: 256, max: 1024 },
    keyType: 'rsa',
    webName: 'RSA-PSS',
    hash: 'SHA-512',
    saltBytes: 64,
    jwa: ['PS512'],
    isRegistered: true,
  },
  PS256: {
    signatureBytes: { min: 256, max: 1024 },
    keyType: 'rsa',
    webName: 'RSA-PSS',
    hash: 'SHA-256',
    saltBytes: 32,
    jwa: ['PS256'],
    isRegistered: false,
  },
  'ecdsa-p256-sha256': {
    signatureBytes: { min: 64, max: 64 },
    keyType: 'ec',
    namedCurve: 'P-256',
    webName: 'ECDSA',
    hash: 'SHA-256',
    jwa: ['ES256'],
    isRegistered: true,
  },
  'ecdsa-p384-sha384': {
    signatureBytes: { min: 96, max: 96 },
    keyType: 'ec',
    namedCurve: 'P-384',
    webName: 'ECDSA',
    hash: 'SHA-384',
    jwa: ['ES384'],
    isRegistered: true,
  },
  ed25519: {
    signatureBytes: { min: 64, max: 64 },
    keyType: 'ed25519',
    webName: 'Ed25519',
    jwa: ['EdDSA', 'Ed25519'],
    isRegistered: true,
  },
  'hmac-sha256': {
    signatureBytes: { min: 32, max: 32 },
    keyType: undefined,
    webName: 'HMAC',
    hash: 'SHA-256',
    jwa: ['HS256'],
    isRegistered: true,
  },
};

/** Returns true for the name of an algorithm. */
export function isMessageAlgorithm(name: unknown): name is MessageAlgorithm {
  return typeof name === 'string' && Object.hasOwn(messageAlgorithms, name);
}

/** A key that verifies. `signature` and `base` are not changed or kept. */
export interface MessageVerifyingKey {
  readonly algorithm: MessageAlgorithm;
  /** Names the key, whichever `keyid` it is used with: replays are recognized by it. The library's keys have their fingerprint. */
  readonly id: string;
  /** Whom the replay guard counts its messages for, if one owner has several keys: an account, or an agent's host. */
  readonly owner?: string;
  readonly verifies: (
    base: Uint8Array<ArrayBuffer>,
    signature: Uint8Array<ArrayBuffer>,
  ) => boolean | Promise<boolean>;
}

/** A key that signs: of this runtime, or a function of a vault or a key service. */
export interface MessageSigningKey {
  readonly algorithm: MessageAlgorithm;
  /** Returns the signature as RFC 9421 section 3.3 defines it; for ECDSA, r and s, not DER. */
  readonly sign: (base: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array>;
}

/** How a key is used, and which keys are accepted. */
export interface MessageKeyOptions {
  /** Required for RSA keys, unless a JWK's `alg` says it: each is used with one algorithm only. */
  readonly algorithm?: MessageAlgorithm;
  /** The largest modulus, in bits. Defaults to 4096; values above 8192 count as 8192. */
  readonly modulusBitsMax?: number;
  /** Accepts test keys whose private half is published. Never use it in production: anyone can sign with them. */
  readonly allowPublishedTestKeys?: boolean;
}

/**
 * Returns the algorithm that a key is used with.
 *
 * @param keyType the kind of the key, as `node:crypto` calls it
 * @param namedCurve Web Crypto's name for its curve
 * @throws TypeError if the key is not for the algorithm, or if several are possible
 */
export function algorithmForKey(
  keyType: string | undefined,
  namedCurve: string | undefined,
  wanted: MessageAlgorithm | undefined,
): MessageAlgorithm {
  const possible = (Object.keys(messageAlgorithms) as MessageAlgorithm[]).filter((name) => {
    const facts = messageAlgorithms[name];
    return facts.keyType !== undefined && facts.keyType === keyType && facts.namedCurve === namedCurve;
  });
  if (wanted !== undefined) {
    if (!isMessageAlgorithm(wanted)) throw new TypeError('algorithm is not the name of an algorithm.');
    if (possible.includes(wanted)) return wanted;
    throw new TypeError(`The key is not for ${wanted}.`);
  }
  if (possible.length === 1) return possible[0]!;
  throw new TypeError(
    possible.length === 0
      ? 'No algorithm has keys of this kind.'
      : `Say which algorithm the key is for: ${possible.join(', ')}.`,
  );
}

/** Returns the algorithm that a JWK's `alg` names, if it names one. */
export function algorithmOfJwk(alg: unknown): MessageAlgorithm | undefined {
  if (alg === undefined) return undefined;
  const names = Object.keys(messageAlgorithms) as MessageAlgorithm[];
  const named = names.find((name) => messageAlgorithms[name].jwa.includes(alg as string));
  if (named === undefined) throw new TypeError("The JWK's alg is not a supported one.");
  return named;
}
