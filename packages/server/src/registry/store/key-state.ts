import type { RevocationReason } from '@countersign/contract';
import type { KeyStatus } from '../tables.ts';

/** A registered public key. */
export interface KeyRecord {
  readonly keyId: string;
  readonly fingerprint: string;
  readonly bits: number;
  /** The stored status; `keyStatusAt` returns the status at a given time. */
  readonly status: KeyStatus;
  readonly spkiPem: string;
  /** The only algorithm that it is used with; undefined for the usual one of its kind. `algorithmOfPem` returns either. */
  readonly algorithm: string | undefined;
  readonly createdAtMs: number;
  /** Not usable before this time; undefined for no limit. */
  readonly startsAtMs: number | undefined;
  /** Not usable from this time on; undefined for no limit. */
  readonly endsAtMs: number | undefined;
  readonly revokedAtMs: number | undefined;
  readonly revocationReason: RevocationReason | undefined;
  /** The key that starts to end at this key's first valid request, and how long it verifies after that. */
  readonly replacesKeyId: string | undefined;
  readonly overlapMs: number | undefined;
  readonly firstUsedAtMs: number | undefined;
  /** The URL that its actor gives it, by which signatures name it; undefined for all other keys. */
  readonly publishedId: string | undefined;
  /** True for a key that a directory brought. */
  readonly isPublished: boolean;
}

/** The parts of a key that decide when it can verify. */
export type KeyLife = Pick<KeyRecord, 'status' | 'createdAtMs' | 'startsAtMs' | 'endsAtMs'>;

const dayMs = 86_400_000;

/** Returns true for a key that may verify now or later, as it is stored. */
export function isLive({ status }: Pick<KeyRecord, 'status'>): boolean {
  return status !== 'expired' && status !== 'revoked';
}

/**
 * Returns when a key stops verifying: at its own end, or when it exceeds its account's age limit. Undefined for
 * never.
 *
 * @param keyAgeDaysMax the account's limit; undefined if keys do not end by age
 */
export function keyEndMs(key: KeyLife, keyAgeDaysMax: number | undefined): number | undefined {
  if (keyAgeDaysMax === undefined) return key.endsAtMs;
  return Math.min(key.endsAtMs ?? Infinity, key.createdAtMs + keyAgeDaysMax * dayMs);
}

/** Returns a key's status at a given time. A key ends on time even before that is recorded. */
export function keyStatusAt(key: KeyLife, keyAgeDaysMax: number | undefined, nowMs: number): KeyStatus {
  if (key.status === 'revoked' || key.status === 'expired') return key.status;
  return nowMs < (keyEndMs(key, keyAgeDaysMax) ?? Infinity) ? key.status : 'expired';
}

/** Returns true if a key verifies now or will once it starts: it is neither revoked nor expired. */
export function isCurrentKey(key: KeyLife, keyAgeDaysMax: number | undefined, nowMs: number): boolean {
  const status = keyStatusAt(key, keyAgeDaysMax, nowMs);
  return status !== 'revoked' && status !== 'expired';
}
