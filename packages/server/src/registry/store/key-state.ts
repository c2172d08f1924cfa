import type { RevocationReason } from '@countersign/contract';
import type { KeyStatus } from '../tables.ts';

/** A registered public key. */
export interface KeyRecord {
  readonly keyId: string;
  readonly fingerprint: string;
  readonly modulusBits: number;
  /** As it was last written; `keyStatusAt` says what it is at a time. */
  readonly status: KeyStatus;
  readonly spkiPem: string;
  readonly createdAtMs: number;
  /** Not usable before; undefined for no limit. */
  readonly startsAtMs: number | undefined;
  /** Not usable from then on; undefined for no limit. */
  readonly endsAtMs: number | undefined;
  readonly revokedAtMs: number | undefined;
  readonly revocationReason: RevocationReason | undefined;
  /** The key that begins to end when this one has signed its first valid request, and how long it then verifies. */
  readonly replacesKeyId: string | undefined;
  readonly overlapMs: number | undefined;
  readonly firstUsedAtMs: number | undefined;
}

/** What of a key decides when it can verify. */
export type KeyLife = Pick<KeyRecord, 'status' | 'createdAtMs' | 'startsAtMs' | 'endsAtMs'>;

const dayMs = 86_400_000;

/**
 * When a key stops verifying: at its own end, or when it is older than its account allows. Undefined for never.
 *
 * @param keyAgeDaysMax of the account; undefined when age alone ends no key
 */
export function keyEndMs(key: KeyLife, keyAgeDaysMax: number | undefined): number | undefined {
  if (keyAgeDaysMax === undefined) return key.endsAtMs;
  return Math.min(key.endsAtMs ?? Infinity, key.createdAtMs + keyAgeDaysMax * dayMs);
}

/** What a key is at a time: its end comes without anybody writing it. */
export function keyStatusAt(key: KeyLife, keyAgeDaysMax: number | undefined, nowMs: number): KeyStatus {
  if (key.status === 'revoked' || key.status === 'expired') return key.status;
  return nowMs < (keyEndMs(key, keyAgeDaysMax) ?? Infinity) ? key.status : 'expired';
}

/** Whether a key verifies, or will when its time begins: neither revoked nor expired. */
export function isCurrentKey(key: KeyLife, keyAgeDaysMax: number | undefined, nowMs: number): boolean {
  const status = keyStatusAt(key, keyAgeDaysMax, nowMs);
  return status !== 'revoked' && status !== 'expired';
}
