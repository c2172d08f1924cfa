import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { sql, type Transaction } from 'kysely';
import { RequestFigures } from '../../registry/request-figures.ts';
import { changeFigures, type FiguresPlace } from '../../registry/store/stored-figures.ts';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import type { RequestCountBounds } from './request-counts.ts';

/**
 * The number of values of each kind that a row counts separately: at most, and as far as requests without proof are
 * concerned. With several nodes on PostgreSQL too, because rows are locked while they grow.
 */
export const valuesMax = { proved: 50, unproved: 25 } as const;

/** Figures to add to a row, as text: of requests with a valid signature, and of others. */
export interface AddedFigures extends FiguresPlace {
  readonly proved: string;
  readonly unproved: string;
}

/** Adds to the stored figures. Takes a hundred rows at most, with each place at most once. */
export async function addRequestFigures(
  transaction: Transaction<Schema>,
  rows: readonly AddedFigures[],
): Promise<void> {
  await changeFigures(transaction, rows, (figures, place) => {
    const { proved, unproved } = rows[place]!;
    figures.add(RequestFigures.fromText(proved), valuesMax.proved);
    figures.add(RequestFigures.fromText(unproved), valuesMax.unproved);
  });
}

export interface FiguresFilter {
  readonly accountId: string;
  /** Undefined for the sums over all clients. */
  readonly clientId: string | undefined;
  readonly span: 'hour' | 'day';
  /** The starts of the spans. */
  readonly startsAtMs: readonly number[];
}

/** Reads figures by the start of their span: one row each, however many requests there were. */
export async function readRequestFigures(
  database: Database,
  { accountId, clientId = '', span, startsAtMs }: FiguresFilter,
): Promise<ReadonlyMap<number, RequestFigures>> {
  const found = new Map<number, RequestFigures>();
  for (let start = 0; start < startsAtMs.length; start += rowsPerQuery) {
    const rows = await database
      .selectFrom('request_figures')
      .select(['starts_at_ms', 'figures'])
      .where('account_id', '=', accountId)
      .where('span', '=', span)
      .where('starts_at_ms', 'in', startsAtMs.slice(start, start + rowsPerQuery))
      .where('client_id', '=', clientId)
      .execute();
    for (const row of rows) found.set(row.starts_at_ms, RequestFigures.fromText(row.figures));
    // A file database runs synchronously, so let requests run in between.
    await nextLoopTurn('reports');
  }
  return found;
}

const rowsPerQuery = 100;

/** Returns the start of the first span of an account that has figures; undefined if none has. */
export async function firstFiguresAt(
  database: Database,
  { accountId, span }: Pick<FiguresFilter, 'accountId' | 'span'>,
): Promise<number | undefined> {
  const first = await database
    .selectFrom('request_figures')
    .select('starts_at_ms')
    .where('account_id', '=', accountId)
    .where('span', '=', span)
    .orderBy('starts_at_ms')
    .limit(1)
    .executeTakeFirst();
  return first?.starts_at_ms;
}

/**
 * Removes old figures, a limited number at a time.
 *
 * @returns true if there may be more to remove
 */
export async function trimRequestFigures(database: Database, bounds: RequestCountBounds): Promise<boolean> {
  const areMoreHours = await removeBefore(database, 'hour', bounds.hoursFromMs);
  const areMoreDays = await removeBefore(database, 'day', bounds.daysFromMs);
  return areMoreHours || areMoreDays;
}

/** Removes one account and span at a time; each has one row per client. */
async function removeBefore(database: Database, span: 'hour' | 'day', fromMs: number): Promise<boolean> {
  for (let removed = 0; removed < removalsMax; removed += 1) {
    const oldest = await database
      .selectFrom('request_figures')
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
      .deleteFrom('request_figures')
      .where('account_id', '=', oldest.account_id)
      .where('span', '=', span)
      .where('starts_at_ms', '=', oldest.starts_at_ms)
      .execute();
    await nextLoopTurn('reports');
  }
  return true;
}

const removalsMax = 200;
