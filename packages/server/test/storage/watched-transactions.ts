import { waitUntil } from '@countersign/testing/wait-until';
import { sql } from 'kysely';
import { isPostgres } from '../../src/storage/dialect.ts';
import type { Database } from '../../src/storage/transaction.ts';

/** Counts the transactions of a database, to know when one waits for a lock that a test holds. */
export class WatchedTransactions {
  #begun = 0;

  /** How many have begun. */
  get begun(): number {
    return this.#begun;
  }

  /** Wraps the database whose transactions are counted. */
  of(database: Database): Database {
    return new Proxy(database, {
      get: (target, name) => {
        if (name === 'transaction') this.#begun += 1;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** Waits until more of them have begun, and one waits for the lock of a transaction. */
  async oneWaits(holder: Database, begunBefore: number): Promise<void> {
    await waitUntil(() => this.#begun > begunBefore, 'a transaction');
    // On SQLite none continues from its beginning: the lock is the first thing that it needs.
    if (isPostgres(holder)) await waitUntil(() => hasWaiting(holder), 'a transaction that waits for a lock');
  }
}

async function hasWaiting(database: Database): Promise<boolean> {
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waiting.execute(database)).rows.length > 0;
}
