import { addRequestCounts, type RequestCountRow, spanMs } from '../registry/store/request-counts.ts';
import { StorageError } from '../storage/storage-error.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';

/** One request that is counted. */
export interface CountedRequest {
  readonly accountId: string;
  readonly clientId: string;
  /** The key that verified it. */
  readonly keyId: string | undefined;
  readonly outcome: string;
  readonly receivedAtMs: number;
}

/**
 * Counts requests by hours and days until they are written. What is counted is kept as long as it takes, also while
 * storage is out and while single requests are dropped: many requests are few counts.
 */
export class RequestCounts {
  readonly #counted = new Map<string, CountedRequest & { count: number }>();
  /** What is to be added to the rows of the database. */
  #rows = new Map<string, RequestCountRow>();
  #skipped = 0;

  /** How many requests could not be counted since the start, because there were too many kinds of them at a time. */
  get skippedCount(): number {
    return this.#skipped;
  }

  /** Takes note of a request. Cheap, and never throws. */
  add(request: CountedRequest): void {
    const { clientId, keyId, outcome, receivedAtMs } = request;
    const name = `${clientId} ${keyId} ${outcome} ${Math.floor(receivedAtMs / spanMs.hour)}`;
    const known = this.#counted.get(name);
    if (known !== undefined) known.count += 1;
    else if (this.#counted.size + this.#rows.size < kindsMax)
      this.#counted.set(name, { ...request, count: 1 });
    else this.#skipped += 1;
  }

  /** Adds what was counted to what is stored. Rejects when storage does not work; what is not stored is kept. */
  async write(database: Database): Promise<void> {
    for (const counted of this.#counted.values()) this.#addRows(counted);
    this.#counted.clear();
    const rows = [...this.#rows.values()];
    for (let start = 0; start < rows.length; start += rowsPerTransaction) {
      const some = rows.slice(start, start + rowsPerTransaction);
      try {
        await inTransaction(database, async (transaction) => {
          for (let first = 0; first < some.length; first += rowsPerStatement)
            await addRequestCounts(transaction, some.slice(first, first + rowsPerStatement));
        });
      } catch (error) {
        // Nobody knows whether these were written: added again they could count twice.
        if (error instanceof StorageError && error.code !== 'in_doubt') throw error;
        this.#forget(some);
        throw error;
      }
      this.#forget(some);
    }
  }

  #addRows({
    accountId,
    clientId,
    keyId = '',
    outcome,
    receivedAtMs,
    count,
  }: CountedRequest & { count: number }): void {
    for (const span of ['hour', 'day'] as const) {
      const startsAtMs = receivedAtMs - (receivedAtMs % spanMs[span]);
      const row = { account_id: accountId, span, starts_at_ms: startsAtMs, outcome, count };
      this.#addRow({ ...row, client_id: clientId, key_id: keyId });
      // The sum of the account, so that nobody has to go through all its clients for it.
      this.#addRow({ ...row, client_id: '', key_id: '' });
    }
  }

  #addRow(row: RequestCountRow): void {
    const name = nameOf(row);
    const known = this.#rows.get(name);
    if (known === undefined) this.#rows.set(name, row);
    else known.count += row.count;
  }

  #forget(rows: readonly RequestCountRow[]): void {
    for (const row of rows) this.#rows.delete(nameOf(row));
  }
}

function nameOf(row: RequestCountRow): string {
  return `${row.account_id} ${row.client_id} ${row.key_id} ${row.outcome} ${row.span} ${row.starts_at_ms}`;
}

const kindsMax = 100_000;
const rowsPerStatement = 100;
const rowsPerTransaction = 500;
