import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../dialect.ts';
import { StorageError } from '../storage-error.ts';

/* A database has this table while it is the target of a move, until everything has been copied. */

/** Returns true if the database is the target of a move that hasn't ended. */
export async function hasUnfinishedMove<Tables>(database: Kysely<Tables>): Promise<boolean> {
  const query = isPostgres(database)
    ? sql<{ found: unknown }>`select to_regclass('unfinished_move') as found`
    : sql<{ found: unknown }>`select max(name) as found from sqlite_master where name = 'unfinished_move'`;
  const { rows } = await query.execute(database);
  return (rows[0]?.found ?? null) !== null;
}

/** @throws StorageError if the database is the target of a move that hasn't ended */
export async function rejectUnfinishedMove<Tables>(database: Kysely<Tables>): Promise<void> {
  if (!(await hasUnfinishedMove(database))) return;
  throw new StorageError(
    'unfinished_move',
    'A move to this database is unfinished: run the same countersign move command again, or keep using the old database.',
  );
}

export async function beginMove<Tables>(database: Kysely<Tables>): Promise<void> {
  await database.schema.createTable('unfinished_move').addColumn('nothing', 'integer').execute();
}

export async function endMove<Tables>(database: Kysely<Tables>): Promise<void> {
  await database.schema.dropTable('unfinished_move').execute();
}
