import { type KeyRotation, keyTimes } from '@countersign/contract';
import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { type KeyLife, keyStatusAt } from './key-state.ts';

/** When a key should be changed. */
export interface RotationTimes {
  /** From here on it is a good time. */
  readonly windowStartMs: number;
  /** From here on it is late. */
  readonly dueMs: number;
}

const dayMs = 86_400_000;

/**
 * When a key should be changed: at 90 days, or before it ends if that is earlier. The window before that is 10 days, or
 * half the life of keys that live for less than 20.
 *
 * @param keyAgeDaysMax of the account; undefined when age alone ends no key
 */
export function rotationTimes(key: KeyLife, keyAgeDaysMax: number | undefined): RotationTimes {
  const { lifeMs, windowMs } = rotationLife(keyAgeDaysMax);
  const dueMs = Math.min(key.createdAtMs + lifeMs, key.endsAtMs ?? Infinity);
  return { windowStartMs: dueMs - windowMs, dueMs };
}

/** Whether it is time to change a key; undefined for a key that ends or has ended: there is nothing left to do about it. */
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

/** The same as a condition on `client_keys`, for keys of an account. */
export function isInRotation(
  column: ExpressionBuilder<Schema, 'client_keys'>,
  rotation: KeyRotation,
  keyAgeDaysMax: number | undefined,
  nowMs: number,
): ExpressionWrapper<Schema, 'client_keys', SqlBool> {
  const { lifeMs, windowMs } = rotationLife(keyAgeDaysMax);
  const bornBefore = keyAgeDaysMax === undefined ? -1 : nowMs - keyAgeDaysMax * dayMs;
  const canVerify = column.and([
    column('status', 'in', ['pending', 'active']),
    column('created_at_ms', '>', bornBefore),
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
