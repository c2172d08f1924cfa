import { type SecondRange, SecondRanges } from '@countersign/gate';
import { isPostgres } from '../storage/dialect.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
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
    return readMark(this.#database);
  }

  async begin(epoch: string, instead: string): Promise<SecondRanges | undefined> {
    const row = await this.#database
      .updateTable('guard_mark')
      .set({ epoch })
      .where('epoch', '=', instead)
      .returning('reserved_ranges')
      .executeTakeFirst();
    return row && rangesOf(row.reserved_ranges);
  }

  async reserve(ranges: readonly SecondRange[], epoch: string): Promise<SecondRanges | undefined> {
    return inTransaction(this.#database, async (transaction) => {
      // No other node can change the row until this is committed, so nodes cannot undo each other's
      // reservations.
      const marked = await readMark(transaction, isPostgres(transaction));
      if (marked.epoch !== epoch) return undefined;
      const reserved = ranges.reduce((all, range) => all.with(range), marked.reserved);
      await transaction
        .updateTable('guard_mark')
        .set({ reserved_ranges: JSON.stringify(reserved) })
        .execute();
      return reserved;
    });
  }
}

async function readMark(database: Database, isLocked = false): Promise<MarkedEpoch> {
  const row = database.selectFrom('guard_mark').select(['epoch', 'reserved_ranges']);
  const { epoch, reserved_ranges: text } = await (isLocked ? row.forUpdate() : row).executeTakeFirstOrThrow();
  return { epoch, reserved: rangesOf(text) };
}

function rangesOf(text: string): SecondRanges {
  const ranges = SecondRanges.parse(JSON.parse(text));
  if (!ranges) throw new Error('guard_mark.reserved_ranges is damaged');
  return ranges;
}
