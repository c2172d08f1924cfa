import {
  type AnyPublicKey,
  type PublicKeyReading,
  readPublicKey,
  readPublicKeyInTurns,
} from './public-key.ts';
import type { PublicKeyPolicy, PublicKeyRefusal } from './public-key-refusal.ts';
import {
  type KeyAlgorithm,
  keyAlgorithmNames,
  keyAlgorithms,
  publicKeyAlgorithmNamed,
} from '../rfc9421/key-algorithms.ts';
import { unrestrictedPublicKey } from './pss-only-keys.ts';
import { algOfRsaJwk, withAlgOfClients } from './rsa-jwk.ts';

/** A public key that someone offers for registration. */
export type OfferedPublicKey = AnyPublicKey & {
  /** The algorithms that it says it is for: by a JWK's `alg`, or as a key for RSASSA-PSS alone. Undefined if it does not say. */
  readonly claimed?: readonly KeyAlgorithm[] | undefined;
};

/** The result of reading such a key. */
export type OfferedKeyReading = { readonly ok: true; readonly key: OfferedPublicKey } | PublicKeyRefusal;

/** Which of them are accepted. */
export interface OfferedKeyPolicy extends PublicKeyPolicy {
  /** Rejects keys that are for RSASSA-PSS, because nothing here signs with it. */
  readonly rejectsPss?: boolean;
}

/**
 * Reads a public key like `readPublicKey`, and keys for RSASSA-PSS as well: JWKs for PS256 and PS512, and keys that are for
 * RSASSA-PSS alone (RFC 4055 section 1.2) without restrictions on its parameters. The key is encoded without saying so.
 */
export function readOfferedKey(text: string, policy: OfferedKeyPolicy = {}): OfferedKeyReading {
  const { usable, claimed } = readClaims(text, policy);
  return withClaims(readPublicKey(usable, policy), claimed);
}

/** Does the same, but yields to other work: see `readPublicKeyInTurns`. */
export async function readOfferedKeyInTurns(
  text: string,
  policy: OfferedKeyPolicy,
  turn: () => Promise<void>,
): Promise<OfferedKeyReading> {
  const { usable, claimed } = readClaims(text, policy);
  return withClaims(await readPublicKeyInTurns(usable, policy, turn), claimed);
}

const pssAlgorithms: readonly KeyAlgorithm[] = keyAlgorithmNames.filter(
  (name) => keyAlgorithms[name].saltBytes !== undefined,
);

interface Claims {
  /** The text of the same key without the claim. */
  readonly usable: string;
  readonly claimed: readonly KeyAlgorithm[] | undefined;
}

function readClaims(text: string, { rejectsPss = false }: OfferedKeyPolicy): Claims {
  if (rejectsPss) return { usable: text, claimed: undefined };
  const alg = algOfRsaJwk(text);
  const named = alg === undefined ? undefined : publicKeyAlgorithmNamed(alg);
  // The reader of clients' keys rejects every other algorithm that is not one of RSA.
  if (named !== undefined && pssAlgorithms.includes(named))
    return { usable: withAlgOfClients(text), claimed: [named] };
  if (named === 'rsa-v1_5-sha256') return { usable: text, claimed: [named] };
  const unrestricted = alg === undefined ? unrestrictedPublicKey(text) : undefined;
  return unrestricted === undefined
    ? { usable: text, claimed: undefined }
    : { usable: unrestricted, claimed: pssAlgorithms };
}

function withClaims(reading: PublicKeyReading, claimed: Claims['claimed']): OfferedKeyReading {
  return reading.ok ? { ok: true, key: { ...reading.key, claimed } } : reading;
}
