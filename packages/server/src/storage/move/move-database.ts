import { sql, type Transaction } from 'kysely';
import { isPostgres } from '../dialect.ts';
import type { Schema } from '../schema.ts';
import { type Database, inTransaction } from '../transaction.ts';
import { StorageError } from '../storage-error.ts';
import {
  countRows,
  emptyTable,
  type MovedTable,
  readLast,
  readPage,
  type Row,
  TableDigest,
  tablesInOrder,
  writePage,
} from './moved-tables.ts';
import { beginMove, endMove, hasUnfinishedMove } from './unfinished-move.ts';

/** The progress of a move with one table. */
export interface MoveProgress {
  readonly table: string;
  readonly step: 'copied' | 'compared';
  readonly rows: number;
  readonly totalRows: number;
}

/** A table that has been moved: equal in both databases. */
export interface MovedRows {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of the rows, in hexadecimal. */
  readonly sha256: string;
}

export interface MoveOptions {
  readonly source: Database;
  readonly target: Database;
  /** Changes both databases at the end, when all rows are equal, before the target can be used. */
  readonly finish: (source: Database, target: Database) => Promise<void>;
  readonly onProgress: (progress: MoveProgress) => void;
}

/**
 * Copies all rows from one database to another of the other kind; one of the two is SQLite. No service may use
 * either of them meanwhile.
 *
 * The target cannot be opened before the move has ended. If the move is interrupted, the next run continues
 * after the last row that was copied. At the end, both databases are compared row by row while the source is
 * locked. Rows that differ, because the source was changed meanwhile, are copied again.
 *
 * @throws StorageError if the target contains anything that isn't from an unfinished move
 */
export async function moveDatabase(options: MoveOptions): Promise<MovedRows[]> {
  const { source, target } = options;
  const tables = await tablesInOrder(isPostgres(source) ? target : source);
  if (!(await hasUnfinishedMove(target))) await begin(target, tables);
  for (const table of tables) await copy(source, target, table, options);
  return inTransaction(source, async (locked) => {
    await lock(locked, tables);
    const moved = await compareAll(locked, options, tables);
    await inTransaction(target, async (transaction) => {
      await options.finish(locked, transaction);
      await endMove(transaction);
    });
    return moved;
  });
}

/** Removes the rows that migrations have written to the target. */
async function begin(target: Database, tables: readonly MovedTable[]): Promise<void> {
  await inTransaction(target, async (transaction) => {
    for (const table of tables) {
      if (filledByMigrations.has(table.name) || (await readLast(transaction, table)) === undefined) continue;
      throw new StorageError(
        'not_empty',
        `The database to move to is not empty: its table ${table.name} has rows. Move to a new database.`,
      );
    }
    for (const table of tables.toReversed()) await emptyTable(transaction, table);
    await beginMove(transaction);
  });
}

const filledByMigrations: ReadonlySet<string> = new Set([
  'roles',
  'registry_version',
  'guard_mark',
  'notice_progress',
  'request_epoch',
]);

/** Copies the rows after the last one that was copied before. */
async function copy(
  source: Database,
  target: Database,
  table: MovedTable,
  { onProgress }: Pick<MoveOptions, 'onProgress'>,
): Promise<void> {
  const totalRows = await countRows(source, table);
  let rows = await countRows(target, table);
  let last: Row | undefined = await readLast(target, table);
  for (;;) {
    const page = await readPage(source, table, last);
    if (page.length === 0) return;
    await inTransaction(target, (transaction) => writePage(transaction, table, page));
    last = page.at(-1);
    rows += page.length;
    onProgress({ table: table.name, step: 'copied', rows, totalRows: Math.max(rows, totalRows) });
  }
}

/** Prevents all writes until the transaction ends. */
async function lock(source: Transaction<Schema>, tables: readonly MovedTable[]): Promise<void> {
  // A SQLite transaction that may write already has the lock.
  if (!isPostgres(source)) return;
  // The source's transaction is idle while the target works.
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(source);
  const names = sql.join(tables.map(({ name }) => sql.table(name)));
  await sql`lock table ${names} in share row exclusive mode`.execute(source);
}

async function compareAll(
  source: Database,
  options: MoveOptions,
  tables: readonly MovedTable[],
): Promise<MovedRows[]> {
  const { target } = options;
  const compared: MovedRows[] = [];
  const stale = new Set<string>();
  for (const table of tables) {
    const equal = await compare(source, options, table);
    // Rows cannot be removed without the rows that reference them.
    if (equal === undefined || [...table.references].some((name) => stale.has(name))) stale.add(table.name);
    else compared.push(equal);
  }
  if (stale.size === 0) return compared;
  await inTransaction(target, async (transaction) => {
    for (const table of tables.toReversed()) if (stale.has(table.name)) await emptyTable(transaction, table);
  });
  for (const table of tables) if (stale.has(table.name)) await copy(source, target, table, options);
  const again: MovedRows[] = [];
  for (const table of tables) {
    const equal = await compare(source, options, table);
    if (equal === undefined)
      throw new StorageError(
        'in_doubt',
        `The table ${table.name} still differs between the databases after being copied twice: nothing was moved.`,
      );
    again.push(equal);
  }
  return again;
}

/** Reads a table from both databases page by page. Returns undefined if they differ. */
async function compare(
  source: Database,
  { target, onProgress }: MoveOptions,
  table: MovedTable,
): Promise<MovedRows | undefined> {
  const [here, there] = [new TableDigest(table), new TableDigest(table)];
  const totalRows = await countRows(source, table);
  let [lastHere, lastThere]: (Row | undefined)[] = [];
  for (;;) {
    const page = await readPage(source, table, lastHere);
    const other = await readPage(target, table, lastThere);
    if (page.length !== other.length) return undefined;
    if (page.length === 0) break;
    here.add(page);
    there.add(other);
    [lastHere, lastThere] = [page.at(-1), other.at(-1)];
    onProgress({ table: table.name, step: 'compared', rows: here.rows, totalRows });
  }
  const sha256 = here.digest();
  return sha256 === there.digest() ? { table: table.name, rows: here.rows, sha256 } : undefined;
}
