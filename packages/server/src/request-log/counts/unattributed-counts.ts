import type { CodeCount } from '@countersign/contract';
import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { Database } from '../../storage/transaction.ts';
import type { UnattributedCountsTable } from '../../registry/request-tables.ts';
import { byFrequency } from './readiness.ts';

/** The number of requests from one source, with one code, on one day. */
export type UnattributedCountRow = Selectable<UnattributedCountsTable>;

/** Stands for all sources beyond the number that is counted separately. */
export const otherSources = '';

/**
 * Adds to one day's stored counts. Takes a few hundred rows at most, with each source and code at most once.
 * Strangers choose their sources, so a day has a limited number of rows; the rest is counted under the other
 * sources.
 */
export async function addUnattributedCounts(
  database: Database,
  rows: readonly UnattributedCountRow[],
  { rowsPerDayMax }: { readonly rowsPerDayMax: number },
): Promise<void> {
  const day = rows[0]?.starts_at_ms;
  if (day === undefined) return;
  const stored = database.selectFrom('unattributed_counts').where('starts_at_ms', '=', day);
  const known = await stored
    .select(['source', 'outcome'])
    .where('source', 'in', [...new Set(rows.map(({ source }) => source))])
    .execute();
  const knownNames = new Set(known.map(nameOf));
  const { count } = await stored
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  let room = rowsPerDayMax - Number(count);
  const merged = new Map<string, UnattributedCountRow>();
  for (const row of rows) {
    const hasRow = knownNames.has(nameOf(row)) || row.source === otherSources || room > 0;
    if (!knownNames.has(nameOf(row)) && hasRow) room -= 1;
    mergeInto(merged, hasRow ? row : { ...row, source: otherSources });
  }
  await upsert(database, [...merged.values()]);
}

function mergeInto(merged: Map<string, UnattributedCountRow>, row: UnattributedCountRow): void {
  const same = merged.get(nameOf(row));
  if (same === undefined) {
    merged.set(nameOf(row), row);
    return;
  }
  const later = same.last_at_ms > row.last_at_ms ? same : row;
  merged.set(nameOf(row), { ...later, count: same.count + row.count });
}

async function upsert(database: Database, rows: readonly UnattributedCountRow[]): Promise<void> {
  const isLater = sql<boolean>`excluded.last_at_ms > unattributed_counts.last_at_ms`;
  await database
    .insertInto('unattributed_counts')
    // All nodes write in the same order, so that simultaneous writes don't deadlock.
    .values(rows.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)))
    .onConflict((conflict) =>
      conflict.columns(['starts_at_ms', 'source', 'outcome']).doUpdateSet({
        count: sql<number>`unattributed_counts.count + excluded.count`,
        last_request_id: sql<string>`case when ${isLater} then excluded.last_request_id
          else unattributed_counts.last_request_id end`,
        last_at_ms: sql<number>`case when ${isLater} then excluded.last_at_ms
          else unattributed_counts.last_at_ms end`,
      }),
    )
    .execute();
}

function nameOf({ source, outcome }: Pick<UnattributedCountRow, 'source' | 'outcome'>): string {
  return `${source} ${outcome}`;
}

/** A source of requests that name no client. */
export interface CountedSource {
  readonly source: string;
  readonly requests: number;
  readonly codes: readonly CodeCount[];
  readonly lastAtMs: number;
  readonly lastRequestId: string;
}

/** Reads the sources with the most requests since a day, and the number of requests from all others. */
export async function readUnattributedCounts(
  database: Database,
  { fromMs, sourcesMax }: { readonly fromMs: number; readonly sourcesMax: number },
): Promise<{ readonly sources: readonly CountedSource[]; readonly otherRequests: number }> {
  const since = database.selectFrom('unattributed_counts').where('starts_at_ms', '>=', fromMs);
  const total = sql<number | string>`sum(count)`;
  const most = await since
    .select('source')
    .where('source', '!=', otherSources)
    .groupBy('source')
    .orderBy(total, 'desc')
    .orderBy('source')
    .limit(sourcesMax)
    .execute();
  const { all } = await since.select(total.as('all')).executeTakeFirstOrThrow();
  const names = most.map(({ source }) => source);
  const rows = names.length === 0 ? [] : await since.selectAll().where('source', 'in', names).execute();
  const bySource = Map.groupBy(rows, (row) => row.source);
  const sources = names.map((source) => countedSource(source, bySource.get(source) ?? []));
  const shown = sources.reduce((sum, { requests }) => sum + requests, 0);
  return { sources, otherRequests: Number(all ?? 0) - shown };
}

function countedSource(source: string, rows: readonly UnattributedCountRow[]): CountedSource {
  const last = rows.reduce((latest, row) => (row.last_at_ms > latest.last_at_ms ? row : latest));
  const codes = [...Map.groupBy(rows, (row) => row.outcome)].map(([outcome, some]) => ({
    outcome,
    count: some.reduce((sum, { count }) => sum + count, 0),
  }));
  return {
    source,
    requests: codes.reduce((sum, { count }) => sum + count, 0),
    codes: byFrequency(codes),
    lastAtMs: last.last_at_ms,
    lastRequestId: last.last_request_id,
  };
}

/** Removes the counts of days before a time, one day at a time. */
export async function trimUnattributedCounts(database: Database, fromMs: number): Promise<void> {
  for (;;) {
    const oldest = await database
      .selectFrom('unattributed_counts')
      .select('starts_at_ms')
      .where('starts_at_ms', '<', fromMs)
      .orderBy('starts_at_ms')
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) return;
    await database
      .deleteFrom('unattributed_counts')
      .where('starts_at_ms', '=', oldest.starts_at_ms)
      .execute();
  }
}
