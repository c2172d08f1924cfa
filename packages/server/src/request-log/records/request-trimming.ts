import { setTimeout as sleep } from 'node:timers/promises';
import { firstIdAt } from '@countersign/contract/ids';
import { sql } from 'kysely';
import type { Database } from '../../storage/transaction.ts';

/** Limits on the age and number of kept requests. A missing limit does not apply. */
export interface RequestLogBounds {
  /** The earliest time to keep requests from. */
  readonly fromMs?: number;
  readonly rowsMax?: number;
  /**
   * The limit for requests that did not prove their sender, so that strangers can't push out the requests that
   * owners look for.
   */
  readonly unprovedRowsMax?: number;
}

/**
 * Removes old and excess rows, a few thousand at most. For excess rows, the accounts with the most lose their oldest
 * rows first. An account with less than a tenth of all rows loses nothing to others, unless ten have that much.
 *
 * @returns true if there may be more to remove
 */
export async function trimRequestRecords(database: Database, bounds: RequestLogBounds): Promise<boolean> {
  const { fromMs, rowsMax, unprovedRowsMax } = bounds;
  const aged = fromMs === undefined ? 0 : await removeOlder(database, fromMs);
  const unproved = unprovedRowsMax === undefined ? 0 : await removeTooMany(database, unprovedRowsMax, true);
  const all = rowsMax === undefined ? 0 : await removeTooMany(database, rowsMax, false);
  return Math.max(aged, unproved, all) >= rowsPerTrim;
}

/** As many rows as may be inserted between two runs. */
const rowsPerTrim = 10_000;
/** Few, because other work waits for the database meanwhile. */
const rowsPerStatement = 100;
/** The shares of all rows beyond which an account loses rows, applied in order. */
const shares = [1 / 2, 1 / 5, 1 / 10];
// A literal, not a parameter, so that the indexes of such requests are used.
const isUnproved = sql<boolean>`is_proved = 0`;

/** Rows to remove. */
export interface Removal {
  readonly lastId: string;
  readonly onlyUnproved: boolean;
  readonly accountId?: string;
}

function removeOlder(database: Database, fromMs: number): Promise<number> {
  const removal = { lastId: firstIdAt('request', fromMs), onlyUnproved: false };
  return removeUpTo(database, removal, rowsPerTrim);
}

async function removeTooMany(database: Database, rowsMax: number, onlyUnproved: boolean): Promise<number> {
  const tooMany = await countBeyond(database, rowsMax, onlyUnproved);
  let left = tooMany.rows;
  for (const share of shares) {
    if (left === 0) break;
    for (const account of await accountsBeyond(database, Math.floor(rowsMax * share), onlyUnproved)) {
      if (left > 0) left -= await removeUpTo(database, { ...account, onlyUnproved }, left);
    }
  }
  if (left > 0) await removeUpTo(database, { lastId: tooMany.lastId, onlyUnproved }, left);
  return tooMany.rows;
}

/**
 * Counts the rows beyond the newest `rowsMax`, up to the number removed per run, and returns the id of the newest of
 * them.
 */
async function countBeyond(
  database: Database,
  rowsMax: number,
  onlyUnproved: boolean,
): Promise<{ rows: number; lastId: string }> {
  let newest = database.selectFrom('request_records').select('request_id');
  if (onlyUnproved) newest = newest.where(isUnproved);
  const [last] = await newest.orderBy('request_id', 'desc').limit(1).offset(rowsMax).execute();
  if (last === undefined) return { rows: 0, lastId: '' };
  const lastId = last.request_id;
  let beyond = database.selectFrom('request_records').select('request_id').where('request_id', '<=', lastId);
  if (onlyUnproved) beyond = beyond.where(isUnproved);
  const { rows } = await database
    .selectFrom(beyond.orderBy('request_id').limit(rowsPerTrim).as('beyond'))
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  return { rows, lastId };
}

/**
 * Lists the accounts that have more rows than `rowsMax`, each with its newest excess row. Finds accounts by jumping
 * through the index from one to the next.
 */
async function accountsBeyond(
  database: Database,
  rowsMax: number,
  onlyUnproved: boolean,
): Promise<readonly { readonly accountId: string; readonly lastId: string }[]> {
  const condition = onlyUnproved ? isUnproved : sql`true`;
  const { rows } = await sql<{ account_id: string; last_id: string }>`
    with recursive owners (account_id) as (
      select min(account_id) from request_records where ${condition}
      union all
      select (select min(account_id) from request_records where account_id > owners.account_id and ${condition})
      from owners where account_id is not null
    ), found as materialized (
      select account_id, (
        select request_id from request_records where account_id = owners.account_id and ${condition}
        order by request_id desc limit 1 offset ${rowsMax}
      ) as last_id
      from owners where account_id is not null
    )
    select account_id, last_id from found where last_id is not null`.execute(database);
  return rows.map((row) => ({ accountId: row.account_id, lastId: row.last_id }));
}

/** Removes the oldest matching rows, and returns how many. */
export async function removeUpTo(
  database: Database,
  { lastId, onlyUnproved, accountId }: Removal,
  rowsMax: number,
): Promise<number> {
  for (let removed = 0; ;) {
    const limit = Math.min(rowsPerStatement, rowsMax - removed);
    const { numDeletedRows } = await database
      .deleteFrom('request_records')
      .where('request_id', 'in', (query) => {
        let found = query
          .selectFrom('request_records')
          .select('request_id')
          .where('request_id', '<=', lastId);
        if (accountId !== undefined) found = found.where('account_id', '=', accountId);
        if (onlyUnproved) found = found.where(isUnproved);
        return found.orderBy('request_id').limit(limit);
      })
      .executeTakeFirstOrThrow();
    removed += Number(numDeletedRows);
    if (Number(numDeletedRows) < limit || removed === rowsMax) return removed;
    // Other connections may be waiting to write to a file database.
    await sleep(pauseMs);
  }
}

const pauseMs = 2;
