import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.ts';
import { StorageError } from './storage-error.ts';

/** A database, or a transaction on it; queries accept either. */
export type Database = Kysely<Schema>;

/**
 * Runs a change as one transaction, or as part of the transaction that it is given, so that several changes can
 * be combined.
 *
 * If PostgreSQL ends a transaction because of a conflict (deadlock, serialization failure), nothing was
 * written, and the change is retried a few times. So a change must have no effects that the transaction does
 * not undo.
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
    // Random waits, so that the same two don't conflict again and again.
    await sleep(attempt * 10 * Math.random());
  }
}

const attemptsMax = 5;

/** Runs several reads on one consistent snapshot. */
export async function inSnapshot<Result>(
  database: Database,
  read: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  if (database.isTransaction) return read(database as Transaction<Schema>);
  return database.transaction().setAccessMode('read only').setIsolationLevel('repeatable read').execute(read);
}
