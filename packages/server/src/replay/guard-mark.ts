import { sql } from 'kysely';
import type { Database } from '../storage/transaction.ts';
import type { EpochMark, MarkedEpoch } from './guard-epoch.ts';
// oxlint-disable-next-line unicorn/require-module-specifiers -- it declares the tables
import type {} from './tables.ts';

/** The database's mark for a guard whose store may lose everything. Methods reject with StorageError in an outage. */
export class GuardMark implements EpochMark {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(): Promise<MarkedEpoch> {
    const row = await this.#database
      .selectFrom('guard_mark')
      .select(['epoch', 'reserved_seconds'])
      .executeTakeFirstOrThrow();
    return { epoch: row.epoch, reservedSeconds: row.reserved_seconds };
  }

  async begin(epoch: string, instead: string): Promise<number | undefined> {
    const row = await this.#database
      .updateTable('guard_mark')
      .set({ epoch })
      .where('epoch', '=', instead)
      .returning('reserved_seconds')
      .executeTakeFirst();
    return row?.reserved_seconds;
  }

  async raise(toSeconds: number, epoch: string): Promise<number | undefined> {
    // One statement compares and writes, so concurrent writers can't undo what another has promised.
    const row = await this.#database
      .updateTable('guard_mark')
      .set({
        reserved_seconds: sql<number>`case when reserved_seconds < ${toSeconds} then ${toSeconds} else reserved_seconds end`,
      })
      .where('epoch', '=', epoch)
      .returning('reserved_seconds')
      .executeTakeFirst();
    return row?.reserved_seconds;
  }
}
