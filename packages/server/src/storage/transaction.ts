import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.ts';
import { StorageError } from './storage-error.ts';

/** A database, or a transaction on it: queries take either. */
export type Database = Kysely<Schema>;

/**
 * Runs a change as one transaction, or as a part of the transaction that it is already given, so that several changes
 * can be made together.
 *
 * A transaction that PostgreSQL ends because it meets another one (deadlock, serialization) has left nothing, and is run
 * again, some times: a change does nothing but what the transaction undoes.
 */
export async function inTransaction<Result>(
  database: Database,
  change: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  if (database.isTransaction) return change(database as Transaction<Schema>);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction().execute(change);
    } catch (error) {
      const mayRepeat = error instanceof StorageError && error.code === 'conflict';
      if (!mayRepeat || attempt === attemptsMax) throw error;
    }
    // Different waits, so that the same two do not meet again and again.
    await sleep(attempt * 10 * Math.random());
  }
}

const attemptsMax = 5;

/** Runs several reads that see one and the same state. */
export async function inSnapshot<Result>(
  database: Database,
  read: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  if (database.isTransaction) return read(database as Transaction<Schema>);
  return database.transaction().setAccessMode('read only').setIsolationLevel('repeatable read').execute(read);
}
