import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { type Selectable, sql } from 'kysely';
import type { RequestMinutesTable } from '../../registry/request-tables.ts';
import type { Database } from '../../storage/transaction.ts';

/** The requests of one client, or of all of an account, in one minute. */
export type RequestMinuteRow = Selectable<RequestMinutesTable>;

export const minuteMs = 60_000;
/** Longer than any rule looks back. */
const keptMs = 120 * minuteMs;

/** Adds to the stored counts. Takes a few hundred rows at most, with each minute at most once. */
export async function addRequestMinutes(
  database: Database,
  rows: readonly RequestMinuteRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await database
    .insertInto('request_minutes')
    // All nodes write in the same order, so that simultaneous writes don't deadlock.
    .values(rows.toSorted((one, other) => (nameOfMinute(one) < nameOfMinute(other) ? -1 : 1)))
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'client_id', 'starts_at_ms']).doUpdateSet({
        passed: sql<number>`request_minutes.passed + excluded.passed`,
        failed: sql<number>`request_minutes.failed + excluded.failed`,
        rate_limited: sql<number>`request_minutes.rate_limited + excluded.rate_limited`,
      }),
    )
    .execute();
}

export function nameOfMinute(
  row: Pick<RequestMinuteRow, 'account_id' | 'client_id' | 'starts_at_ms'>,
): string {
  return `${row.account_id} ${row.client_id} ${row.starts_at_ms}`;
}

export interface MinutesFilter {
  readonly accountId: string;
  /** Undefined for the sums over all clients. */
  readonly clientId: string | undefined;
  /** An hour at most. */
  readonly minutes: number;
  readonly nowMs: number;
}

/** The requests of some minutes. */
export interface RecentRequests {
  readonly passed: number;
  readonly failed: number;
  readonly rateLimited: number;
}

/** Adds up the requests of the last minutes: one row for each at most. A minute that began before them does not count. */
export async function readRecentRequests(
  database: Database,
  { accountId, clientId = '', minutes, nowMs }: MinutesFilter,
): Promise<RecentRequests> {
  const { passed, failed, limited } = await database
    .selectFrom('request_minutes')
    .select(({ fn }) => [
      fn.sum<number | string | null>('passed').as('passed'),
      fn.sum<number | string | null>('failed').as('failed'),
      fn.sum<number | string | null>('rate_limited').as('limited'),
    ])
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .where('starts_at_ms', '>', nowMs - minutes * minuteMs)
    .where('starts_at_ms', '<=', nowMs)
    .executeTakeFirstOrThrow();
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 0), rateLimited: Number(limited ?? 0) };
}

/**
 * Removes old minutes, a limited number at a time.
 *
 * @returns true if there may be more to remove
 */
export async function trimRequestMinutes(database: Database, nowMs: number): Promise<boolean> {
  for (let removed = 0; removed < removalsMax; removed += 1) {
    const oldest = await database
      .selectFrom('request_minutes')
      .select('starts_at_ms')
      .where('starts_at_ms', '<', nowMs - keptMs)
      .orderBy('starts_at_ms')
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) return false;
    await database.deleteFrom('request_minutes').where('starts_at_ms', '=', oldest.starts_at_ms).execute();
    await nextLoopTurn('reports');
  }
  return true;
}

const removalsMax = 200;
