import { type RequestCountRow, spanMs } from '../counts/request-counts.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { RequestWrites } from './request-writes.ts';

/** A request to count. */
export interface CountedRequest {
  readonly accountId: string;
  readonly clientId: string;
  /** The key that verified it. */
  readonly keyId: string | undefined;
  readonly outcome: string;
  /** True if the rejection was not enforced. */
  readonly isObserved: boolean;
  readonly receivedAtMs: number;
}

/**
 * Counts requests by hour and day until they are written. Counts are kept until then, even while storage is
 * down or single requests are dropped: many requests add up to few counts.
 */
export class RequestCounts {
  readonly #counted = new Map<string, CountedRequest & { count: number }>();
  /** The counts to add to the database's rows. */
  #rows = new Map<string, RequestCountRow>();
  #skipped = 0;

  /** The number of requests since the start that were not counted because there were too many kinds at once. */
  get skippedCount(): number {
    return this.#skipped;
  }

  /** Counts a request. Cheap; never throws. */
  add(request: CountedRequest): void {
    const { clientId, keyId, outcome, isObserved, receivedAtMs } = request;
    const name = `${clientId} ${keyId} ${outcome} ${isObserved} ${Math.floor(receivedAtMs / spanMs.hour)}`;
    const known = this.#counted.get(name);
    if (known !== undefined) known.count += 1;
    else if (this.#counted.size + this.#rows.size < kindsMax)
      this.#counted.set(name, { ...request, count: 1 });
    else this.#skipped += 1;
  }

  /** Adds the counts to those in storage. Rejects if storage fails, and keeps the counts that were not stored. */
  async write(writes: Pick<RequestWrites, 'addCounts'>): Promise<void> {
    for (const counted of this.#counted.values()) this.#addRows(counted);
    this.#counted.clear();
    const rows = [...this.#rows.values()];
    for (let start = 0; start < rows.length; start += rowsPerWrite) {
      const some = rows.slice(start, start + rowsPerWrite);
      try {
        await writes.addCounts(some);
      } catch (error) {
        // These may have been written: adding them again could count them twice.
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
    isObserved,
    receivedAtMs,
    count,
  }: CountedRequest & { count: number }): void {
    for (const span of ['hour', 'day'] as const) {
      const startsAtMs = receivedAtMs - (receivedAtMs % spanMs[span]);
      const observed = isObserved ? count : 0;
      const row = {
        account_id: accountId,
        span,
        starts_at_ms: startsAtMs,
        outcome,
        count,
        observed_count: observed,
      };
      this.#addRow({ ...row, client_id: clientId, key_id: keyId });
      // The account's total, so that reading it doesn't require all its clients' rows.
      this.#addRow({ ...row, client_id: '', key_id: '' });
    }
  }

  #addRow(row: RequestCountRow): void {
    const name = nameOf(row);
    const known = this.#rows.get(name);
    if (known === undefined) this.#rows.set(name, row);
    else {
      known.count += row.count;
      known.observed_count += row.observed_count;
    }
  }

  #forget(rows: readonly RequestCountRow[]): void {
    for (const row of rows) this.#rows.delete(nameOf(row));
  }
}

function nameOf(row: RequestCountRow): string {
  return `${row.account_id} ${row.client_id} ${row.key_id} ${row.outcome} ${row.span} ${row.starts_at_ms}`;
}

const kindsMax = 100_000;
const rowsPerWrite = 500;
