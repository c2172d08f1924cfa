import { passedOutcomes } from '@countersign/contract/problems';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { sql, type SqlBool } from 'kysely';
import type { Selectable } from 'kysely';
import type { RequestCountsTable } from '../../registry/request-tables.ts';
import type { Database } from '../../storage/transaction.ts';

/** The number of requests of one kind in one hour or day. */
export type RequestCountRow = Selectable<RequestCountsTable>;

/** The length of each span. Both are counted in UTC. */
export const spanMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** Adds to the stored counts. Takes a few hundred rows at most, with each kind at most once. */
export async function addRequestCounts(database: Database, rows: readonly RequestCountRow[]): Promise<void> {
  if (rows.length === 0) return;
  await database
    .insertInto('request_counts')
    // All nodes write in the same order, so that simultaneous writes don't deadlock.
    .values(rows.toSorted((one, other) => compare(nameOf(one), nameOf(other))))
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'span', 'starts_at_ms', 'client_id', 'key_id', 'outcome']).doUpdateSet({
        count: sql<number>`request_counts.count + excluded.count`,
        observed_count: sql<number>`request_counts.observed_count + excluded.observed_count`,
      }),
    )
    .execute();
}

/** The requests to count, and how to group them. */
export interface RequestCountFilter {
  readonly accountId: string;
  /** Only requests that name one of these clients. Default all. */
  readonly clientIds?: readonly string[] | undefined;
  readonly by?: 'outcome' | 'key' | 'client' | undefined;
  readonly span: 'hour' | 'day';
  /** The starts of the spans, in order. */
  readonly startsAtMs: readonly number[];
}

/** The counts for one name in one span. */
export interface RequestCount {
  readonly name: string;
  readonly startsAtMs: number;
  readonly accepted: number;
  /** Requests that failed a check but passed. */
  readonly observed: number;
  readonly refused: number;
}

/**
 * Counts requests. Scans a limited number of rows in small batches, so that even the largest account's statistics
 * can't tie up the database.
 *
 * @returns undefined if there are too many rows to scan
 */
export async function countRequests(
  database: Database,
  filter: RequestCountFilter,
): Promise<readonly RequestCount[] | undefined> {
  const { startsAtMs, clientIds, by } = filter;
  const spansMax = Math.max(1, Math.floor(placesPerQueryMax / (clientIds?.length ?? 1)));
  const counts: RequestCount[] = [];
  let rowsLeft = rowsMax;
  let spans = Math.min(spansOfFirstQuery, spansMax);
  for (let start = 0; start < startsAtMs.length;) {
    const some = { ...filter, startsAtMs: startsAtMs.slice(start, start + spans) };
    // Rows without a key are scanned too.
    const scanned: RequestCountFilter = by === 'key' ? { ...some, by: 'client' } : some;
    const rows = await rowsOf(database, scanned, rowsPerQueryMax + 1);
    if (rows > rowsPerQueryMax && spans === 1) return undefined;
    if (rows <= rowsPerQueryMax) {
      counts.push(...(await countSome(database, some)));
      rowsLeft -= by === 'key' ? await rowsOf(database, some, rowsPerQueryMax) : rows;
      start += spans;
    }
    if (rowsLeft < 0) return undefined;
    const rowsPerSpan = Math.max(1, rows / some.startsAtMs.length);
    spans = Math.max(1, Math.min(spansMax, Math.floor(rowsPerQueryMax / 2 / rowsPerSpan)));
    // A file database runs synchronously, so let requests run in between.
    await nextLoopTurn('reports');
  }
  return counts;
}

/**
 * Returns true if every client's rows must be scanned. Otherwise each account's sums over all its clients are
 * enough.
 */
function scansAllClients({ clientIds, by }: RequestCountFilter): boolean {
  return clientIds === undefined && (by === 'client' || by === 'key');
}

function matchingRows(database: Database, filter: RequestCountFilter) {
  const { accountId, clientIds = [''], by, span, startsAtMs } = filter;
  let matching = database
    .selectFrom('request_counts')
    .where('account_id', '=', accountId)
    .where('span', '=', span);
  matching = scansAllClients(filter)
    ? matching
        .where('starts_at_ms', '>=', startsAtMs[0] ?? 0)
        .where('starts_at_ms', '<=', startsAtMs.at(-1) ?? 0)
        .where('client_id', '!=', '')
    : matching.where('starts_at_ms', 'in', startsAtMs).where('client_id', 'in', clientIds);
  return by === 'key' ? matching.where('key_id', '!=', '') : matching;
}

/** Counts the rows to scan, up to a limit. */
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
      sql<number | string>`sum(case when ${passed} then count - observed_count else 0 end)`.as('accepted'),
      sql<number | string>`sum(observed_count)`.as('observed'),
      sql<number | string>`sum(case when ${passed} then 0 else count - observed_count end)`.as('refused'),
    ])
    .groupBy(['starts_at_ms', 'name'])
    .execute();
  // PostgreSQL returns sums as text.
  return rows.map((row) => ({
    name: row.name,
    startsAtMs: row.starts_at_ms,
    accepted: Number(row.accepted),
    observed: Number(row.observed),
    refused: Number(row.refused),
  }));
}

/** True for rows of requests that passed every check, whatever the API's response was. */
const passed = sql<SqlBool>`outcome in (${sql.join([...passedOutcomes].map((code) => sql.lit(code)))})`;

const nameColumns = {
  all: sql<string>`''`.as('name'),
  outcome: sql<string>`outcome`.as('name'),
  key: sql<string>`key_id`.as('name'),
  client: sql<string>`client_id`.as('name'),
} as const;

/** The number of rows scanned: per call and per query. */
const rowsMax = 50_000;
const rowsPerQueryMax = 5000;
/** The number of index positions looked up per query. */
const placesPerQueryMax = 2000;
const spansOfFirstQuery = 24;

export interface RequestCountBounds {
  /** Hours that start before this time are removed. */
  readonly hoursFromMs: number;
  readonly daysFromMs: number;
}

/**
 * Removes old counts, a limited number at a time.
 *
 * @returns true if there may be more to remove
 */
export async function trimRequestCounts(database: Database, bounds: RequestCountBounds): Promise<boolean> {
  const areMoreHours = await removeBefore(database, 'hour', bounds.hoursFromMs);
  const areMoreDays = await removeBefore(database, 'day', bounds.daysFromMs);
  return areMoreHours || areMoreDays;
}

/** Removes one account and span at a time; each has one row per client and outcome. */
async function removeBefore(database: Database, span: 'hour' | 'day', fromMs: number): Promise<boolean> {
  for (let removed = 0; removed < removalsMax; removed += 1) {
    const oldest = await database
      .selectFrom('request_counts')
      .select(['account_id', 'starts_at_ms'])
      .where('span', '=', span)
      .where('starts_at_ms', '<', fromMs)
      // A literal, not a parameter, so that the index of the sums is used.
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
    await nextLoopTurn('reports');
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
