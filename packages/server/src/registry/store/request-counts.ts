import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { RequestCountsTable } from '../tables.ts';
import type { Database } from '../../storage/transaction.ts';

/** How many requests of one kind there were in an hour or a day. */
export type RequestCountRow = Selectable<RequestCountsTable>;

/** How long the two spans are. Both are counted in UTC. */
export const spanMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** Adds to what was counted; each kind at most once in the rows, of which there are some hundreds at most. */
export async function addRequestCounts(database: Database, rows: readonly RequestCountRow[]): Promise<void> {
  if (rows.length === 0) return;
  await database
    .insertInto('request_counts')
    // In one order for all nodes, so that two that write at once do not wait for each other.
    .values(rows.toSorted((one, other) => compare(nameOf(one), nameOf(other))))
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'span', 'starts_at_ms', 'client_id', 'key_id', 'outcome'])
        .doUpdateSet({ count: sql<number>`request_counts.count + excluded.count` }),
    )
    .execute();
}

/** Which requests to count, and what apart. */
export interface RequestCountFilter {
  readonly accountId: string;
  /** Only those that name one of these clients; all unless set. */
  readonly clientIds?: readonly string[] | undefined;
  readonly by?: 'outcome' | 'key' | 'client' | undefined;
  readonly span: 'hour' | 'day';
  /** The beginnings of the spans, in their order. */
  readonly startsAtMs: readonly number[];
}

/** What was counted for one name in one span. */
export interface RequestCount {
  readonly name: string;
  readonly startsAtMs: number;
  readonly accepted: number;
  readonly refused: number;
}

/**
 * Counts requests. It goes through a limited number of rows, and through few of them at a time, so that no account is so
 * large that its statistics occupy the database.
 *
 * @returns undefined when there would be too much to go through
 */
export async function countRequests(
  database: Database,
  filter: RequestCountFilter,
): Promise<readonly RequestCount[] | undefined> {
  const { startsAtMs, clientIds } = filter;
  if (goesThroughAll(filter) && (await rowsOf(database, filter, rowsMax + 1)) > rowsMax) return undefined;
  const spansMax = Math.max(1, Math.floor(placesPerQueryMax / (clientIds?.length ?? 1)));
  const counts: RequestCount[] = [];
  let rowsLeft = rowsMax;
  let spans = Math.min(spansOfFirstQuery, spansMax);
  for (let start = 0; start < startsAtMs.length;) {
    const some = { ...filter, startsAtMs: startsAtMs.slice(start, start + spans) };
    const rows = await rowsOf(database, some, rowsPerQueryMax + 1);
    if (rows > rowsPerQueryMax && spans === 1) return undefined;
    if (rows <= rowsPerQueryMax) {
      counts.push(...(await countSome(database, some)));
      rowsLeft -= rows;
      start += spans;
    }
    if (rowsLeft < 0) return undefined;
    const rowsPerSpan = Math.max(1, rows / some.startsAtMs.length);
    spans = Math.max(1, Math.min(spansMax, Math.floor(rowsPerQueryMax / 2 / rowsPerSpan)));
    // A database in a file answers at once: requests come between.
    await setImmediate();
  }
  return counts;
}

/** Whether the rows of all clients are looked at. Otherwise each account has the sums of all its clients. */
function goesThroughAll({ clientIds, by }: RequestCountFilter): boolean {
  return clientIds === undefined && (by === 'client' || by === 'key');
}

function matchingRows(database: Database, filter: RequestCountFilter) {
  const { accountId, clientIds = [''], by, span, startsAtMs } = filter;
  let matching = database
    .selectFrom('request_counts')
    .where('account_id', '=', accountId)
    .where('span', '=', span);
  matching = goesThroughAll(filter)
    ? matching
        .where('starts_at_ms', '>=', startsAtMs[0] ?? 0)
        .where('starts_at_ms', '<=', startsAtMs.at(-1) ?? 0)
        .where('client_id', '!=', '')
    : matching.where('starts_at_ms', 'in', startsAtMs).where('client_id', 'in', clientIds);
  return by === 'key' ? matching.where('key_id', '!=', '') : matching;
}

/** How many rows there are to go through, as far as that matters. */
async function rowsOf(database: Database, filter: RequestCountFilter, limit: number): Promise<number> {
  const rows = matchingRows(database, filter).select('starts_at_ms').limit(limit);
  const { count } = await database
    .selectFrom(rows.as('matching'))
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function countSome(database: Database, filter: RequestCountFilter): Promise<RequestCount[]> {
  const rows = await matchingRows(database, filter)
    .select([
      nameColumns[filter.by ?? 'all'],
      'starts_at_ms',
      sql<number | string>`sum(case when outcome = 'accepted' then count else 0 end)`.as('accepted'),
      sql<number | string>`sum(case when outcome = 'accepted' then 0 else count end)`.as('refused'),
    ])
    .groupBy(['starts_at_ms', 'name'])
    .execute();
  // PostgreSQL gives sums as texts.
  return rows.map((row) => ({
    name: row.name,
    startsAtMs: row.starts_at_ms,
    accepted: Number(row.accepted),
    refused: Number(row.refused),
  }));
}

const nameColumns = {
  all: sql<string>`''`.as('name'),
  outcome: sql<string>`outcome`.as('name'),
  key: sql<string>`key_id`.as('name'),
  client: sql<string>`client_id`.as('name'),
} as const;

/** So many rows are gone through for one answer, and so many at a time. */
const rowsMax = 50_000;
const rowsPerQueryMax = 5000;
/** In so many places of the index is looked at a time. */
const placesPerQueryMax = 2000;
const spansOfFirstQuery = 24;

/** Until when counts are kept. */
export interface RequestCountBounds {
  /** Hours that begin before this time are removed. */
  readonly hoursFromMs: number;
  readonly daysFromMs: number;
}

/**
 * Removes what is too old, a limited number of rows.
 *
 * @returns whether there may be more to remove
 */
export async function trimRequestCounts(database: Database, bounds: RequestCountBounds): Promise<boolean> {
  const areMoreHours = await removeBefore(database, 'hour', bounds.hoursFromMs);
  const areMoreDays = await removeBefore(database, 'day', bounds.daysFromMs);
  return areMoreHours || areMoreDays;
}

/** One account and span after the other: the rows of one are as many as the account has clients and outcomes. */
async function removeBefore(database: Database, span: 'hour' | 'day', fromMs: number): Promise<boolean> {
  for (let removed = 0; removed < removalsMax; removed += 1) {
    const oldest = await database
      .selectFrom('request_counts')
      .select(['account_id', 'starts_at_ms'])
      .where('span', '=', span)
      .where('starts_at_ms', '<', fromMs)
      // Written out, not a parameter, so that the index of the sums is used.
      .where(sql<boolean>`client_id = ''`)
      .orderBy('starts_at_ms')
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) return false;
    await database
      .deleteFrom('request_counts')
      .where('span', '=', span)
      .where('starts_at_ms', '=', oldest.starts_at_ms)
      .where('account_id', '=', oldest.account_id)
      .execute();
    await setImmediate();
  }
  return true;
}

const removalsMax = 200;

function nameOf(row: RequestCountRow): string {
  return `${row.account_id} ${row.span} ${row.starts_at_ms} ${row.client_id} ${row.key_id} ${row.outcome}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
