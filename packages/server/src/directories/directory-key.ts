import { createPublicKey } from 'node:crypto';
import type { MessageAlgorithm } from '@countersign/signature/messages/node';
import { keyObjectThumbprint } from '@countersign/signature/node';

/** A public key in a directory that passed every check: plain data, which can be stored as JSON. */
export interface DirectoryKey {
  /** The name that the directory gives it: a JWK's `kid`, an actor's `publicKey.id`. */
  readonly kid: string | undefined;
  /** RFC 7638, with SHA-256. Agents use it as `keyid`. */
  readonly thumbprint: string;
  /** As clients' keys have it: `SHA256:…` of the SubjectPublicKeyInfo. */
  readonly fingerprint: string;
  readonly spkiPem: string;
  readonly bits: number;
  /**
   * The only algorithm that the key may be used with; undefined for an RSA key whose directory does not say: the profile of its
   * client decides.
   */
  readonly algorithm: MessageAlgorithm | undefined;
  /** From `nbf`: when it starts to be valid, in milliseconds since 1970; undefined for no start. */
  readonly startsAtMs: number | undefined;
  /** From `exp`: from when on it is not valid; undefined for no end. */
  readonly endsAtMs: number | undefined;
}

/** The reason why an entry of a directory is no key that counts. */
export type SkipReason =
  | 'not_a_key'
  | 'too_long'
  | 'private_key'
  | 'published_test_key'
  | 'kind_not_supported'
  | 'algorithm_not_supported'
  | 'not_for_signatures'
  | 'key_id_invalid'
  | 'key_id_ambiguous'
  | 'validity_invalid'
  | 'expired'
  | 'malformed'
  | 'weak'
  | 'duplicate'
  | 'several_algorithms'
  | 'owner_mismatch'
  | 'too_many'
  /** The registry's reasons: the key was revoked, which is final, or another client of the account has it. */
  | 'revoked'
  | 'registered_elsewhere';

/** What a directory consists of. */
export interface DirectoryContents {
  readonly keys: readonly DirectoryKey[];
  /** How many entries do not count, by reason. */
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** The thumbprints of the keys whose private halves it publishes; undefined for none. */
  readonly compromised?: readonly string[];
}

/** Returns a key's thumbprint. @throws Error for a text that is no public key */
export function thumbprintOfPem(spkiPem: string): string {
  return keyObjectThumbprint(createPublicKey(spkiPem));
}
