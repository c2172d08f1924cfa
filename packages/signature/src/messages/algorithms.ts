import type { KeyKind } from '../rfc9421/algorithms.ts';
import { type KeyAlgorithm, keyAlgorithms, type KeyAlgorithmFacts } from '../rfc9421/key-algorithms.ts';

/** The algorithms of messages: those of public keys, and that of shared secrets. */
export type MessageAlgorithm = KeyAlgorithm | 'hmac-sha256';

/** Everything the general library needs to know about one algorithm (RFC 9421 section 3.3). */
export interface MessageAlgorithmFacts extends Omit<KeyAlgorithmFacts, 'keyKind' | 'keyTitle' | 'scheme'> {
  /** The kind of its keys; undefined for shared secrets. */
  readonly keyKind: KeyKind | undefined;
}

export const messageAlgorithms: Readonly<Record<MessageAlgorithm, MessageAlgorithmFacts>> = {
  ...keyAlgorithms,
  'hmac-sha256': {
    keyKind: undefined,
    webCrypto: { name: 'HMAC', hash: 'SHA-256' },
    signatureBytes: { min: 32, max: 32 },
    jwa: ['HS256'],
    isRegistered: true,
  },
};

const messageAlgorithmNames = Object.keys(messageAlgorithms) as readonly MessageAlgorithm[];

/** Returns the first algorithm that fits. */
export function findMessageAlgorithm(
  fits: (facts: MessageAlgorithmFacts) => boolean,
): MessageAlgorithm | undefined {
  return messageAlgorithmNames.find((name) => fits(messageAlgorithms[name]));
}

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
 * @param keyKind undefined for a kind that is not supported
 * @throws TypeError if the key is not for the algorithm, or if several are possible
 */
export function algorithmForKey(
  keyKind: KeyKind | undefined,
  wanted: MessageAlgorithm | undefined,
): MessageAlgorithm {
  const possible =
    keyKind === undefined
      ? []
      : messageAlgorithmNames.filter((name) => messageAlgorithms[name].keyKind === keyKind);
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

/** Returns the algorithm that a JWK's `alg` names. @throws TypeError for one that is not supported */
export function algorithmOfJwk(alg: string): MessageAlgorithm {
  const named = findMessageAlgorithm(({ jwa }) => jwa.includes(alg));
  if (named === undefined) throw new TypeError("The JWK's alg is not a supported one.");
  return named;
}
