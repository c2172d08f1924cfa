import { sql, type Transaction } from 'kysely';
import { isPostgres } from '../../storage/dialect.ts';
import type { Schema } from '../../storage/schema.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';

/*
 * Request ids begin with the clock of the node that received the request, and their rows are committed later, in any order. So a
 * reader that remembers the last id it saw would skip rows. Epochs give it an order without gaps:
 *
 * - A transaction that inserts rows holds a shared lock from its first statement to its end, and marks its rows with the
 *   epoch that it reads under the lock.
 * - `closeEpoch` takes the same lock alone, so no such transaction is running, and increments the epoch. Every row of the
 *   closed epoch, and of those before it, is committed by then, and none is added later.
 *
 * Writers don't wait for each other. They wait for a reader that waits for them, about a second at most. SQLite has one
 * writing transaction at a time, so it needs no lock.
 */

/** Returns the epoch for the rows of a transaction that has just begun; null if no stream has ever wanted requests. */
export async function joinEpoch(transaction: Transaction<Schema>): Promise<number | null> {
  if (isPostgres(transaction))
    await sql`select pg_advisory_xact_lock_shared(${epochLock})`.execute(transaction);
  // A statement of its own: the one that waits for the lock would still see the epoch from before.
  const epoch = await readEpoch(transaction);
  return epoch === 0 ? null : epoch;
}

/** Returns the current epoch: rows of earlier ones are complete. 0 if no stream has ever wanted requests. */
export async function readEpoch(database: Database): Promise<number> {
  const { epoch } = await database.selectFrom('request_epoch').select('epoch').executeTakeFirstOrThrow();
  return epoch;
}

/** Begins a new epoch, and returns it: everything before it is complete. Undefined if rows were being inserted for too long. */
export async function closeEpoch(database: Database): Promise<number | undefined> {
  try {
    return await inTransaction(database, async (transaction) => {
      if (isPostgres(transaction)) {
        await sql`set local lock_timeout = ${sql.lit(lockMsMax)}`.execute(transaction);
        await sql`select pg_advisory_xact_lock(${epochLock})`.execute(transaction);
      }
      const { epoch } = await transaction
        .updateTable('request_epoch')
        .set((column) => ({ epoch: column('epoch', '+', 1) }))
        .returning('epoch')
        .executeTakeFirstOrThrow();
      return epoch;
    });
  } catch (error) {
    // Nothing has changed. Should the database have another problem, the next statement reports it.
    if (error instanceof StorageError && error.code === 'unavailable' && !error.isAway) return undefined;
    throw error;
  }
}

/** Identifies the lock in the database. */
const epochLock = 0x72657165;
const lockMsMax = 1000;
