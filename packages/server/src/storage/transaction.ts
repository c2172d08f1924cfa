import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** A database, or a transaction on it: queries take either. */
export type Database = Kysely<Schema>;

/**
 * Runs a change as one transaction, or as a part of the transaction that it is already given, so that several changes
 * can be made together.
 */
export async function inTransaction<Result>(
  database: Database,
  change: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  if (database.isTransaction) return change(database as Transaction<Schema>);
  return database.transaction().execute(change);
}

/** Runs several reads that see one and the same state. */
export async function inSnapshot<Result>(
  database: Database,
  read: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  if (database.isTransaction) return read(database as Transaction<Schema>);
  return database.transaction().setAccessMode('read only').setIsolationLevel('repeatable read').execute(read);
}
