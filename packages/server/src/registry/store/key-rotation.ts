import { type KeyRotation, keyTimes } from '@countersign/contract';
import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { type KeyLife, keyStatusAt } from './key-state.ts';

export interface RotationTimes {
  /** The recommended time to rotate starts here. */
  readonly windowStartMs: number;
  /** Rotation is overdue from here on. */
  readonly dueMs: number;
}

const dayMs = 86_400_000;

/**
 * Returns when to rotate a key: at 90 days, or before it ends if that is earlier. The window before that is 10
 * days, or half the lifetime of a key that lives for less than 20 days.
 *
 * @param keyAgeDaysMax the account's limit; undefined if keys do not end by age
 */
export function rotationTimes(key: KeyLife, keyAgeDaysMax: number | undefined): RotationTimes {
  const { lifeMs, windowMs } = rotationLife(keyAgeDaysMax);
  const dueMs = Math.min(key.createdAtMs + lifeMs, key.endsAtMs ?? Infinity);
  return { windowStartMs: dueMs - windowMs, dueMs };
}

/**
 * Returns the state of a key's rotation; undefined for a key that is ending or has ended, because it needs no
 * rotation.
 */
export function rotationOf(
  key: KeyLife,
  keyAgeDaysMax: number | undefined,
  nowMs: number,
): KeyRotation | undefined {
  const status = keyStatusAt(key, keyAgeDaysMax, nowMs);
  if (status !== 'pending' && status !== 'active') return undefined;
  const { windowStartMs, dueMs } = rotationTimes(key, keyAgeDaysMax);
  if (nowMs >= dueMs) return 'overdue';
  return nowMs >= windowStartMs ? 'due' : 'not_due';
}

/** The same check as a condition on `client_keys`, for an account's keys. */
export function isInRotation(
  column: ExpressionBuilder<Schema, 'client_keys'>,
  rotation: KeyRotation,
  keyAgeDaysMax: number | undefined,
  nowMs: number,
): ExpressionWrapper<Schema, 'client_keys', SqlBool> {
  const { lifeMs, windowMs } = rotationLife(keyAgeDaysMax);
  const createdBefore = keyAgeDaysMax === undefined ? -1 : nowMs - keyAgeDaysMax * dayMs;
  const canVerify = column.and([
    column('status', 'in', ['pending', 'active']),
    column('created_at_ms', '>', createdBefore),
    column.or([column('ends_at_ms', 'is', null), column('ends_at_ms', '>', nowMs)]),
  ]);
  const overdue = column('created_at_ms', '<=', nowMs - lifeMs);
  if (rotation === 'overdue') return column.and([canVerify, overdue]);
  const soon = column.or([
    column('created_at_ms', '<=', nowMs - lifeMs + windowMs),
    column.and([column('ends_at_ms', 'is not', null), column('ends_at_ms', '<=', nowMs + windowMs)]),
  ]);
  if (rotation === 'due') return column.and([canVerify, column.not(overdue), soon]);
  return column.and([canVerify, column.not(overdue), column.not(soon)]);
}

function rotationLife(keyAgeDaysMax: number | undefined): { lifeMs: number; windowMs: number } {
  const lifeDays = Math.min(keyTimes.rotationDays, keyAgeDaysMax ?? Infinity);
  const windowDays = Math.min(keyTimes.rotationWindowDays, lifeDays / 2);
  return { lifeMs: lifeDays * dayMs, windowMs: windowDays * dayMs };
}
