import { passedOutcomes } from '@countersign/contract/problems';
import { minuteMs, nameOfMinute, type RequestMinuteRow } from '../counts/request-minutes.ts';
import { StorageError } from '../../storage/storage-error.ts';
import type { RequestWrites } from './request-writes.ts';
import type { CountedRequest } from './unwritten-counts.ts';

/**
 * Counts requests by minute until they are written, for alert rules. Kept while storage is down, as `RequestCounts` keeps
 * its counts, but only up to a number.
 */
export class UnwrittenMinutes {
  readonly #rows = new Map<string, RequestMinuteRow>();

  /** Counts a request. Cheap; never throws. */
  add({ accountId, clientId, outcome, isObserved, receivedAtMs }: CountedRequest): void {
    if (leftOut.has(outcome)) return;
    const starts_at_ms = receivedAtMs - (receivedAtMs % minuteMs);
    const hasPassed = isObserved || passedOutcomes.has(outcome);
    // The second is the account's total.
    for (const client_id of [clientId, '']) {
      const place = { account_id: accountId, client_id, starts_at_ms };
      const row = this.#rowOf(place);
      if (row === undefined) continue;
      if (hasPassed) row.passed += 1;
      else row.failed += 1;
      if (!hasPassed && outcome === 'rate_limited') row.rate_limited += 1;
    }
  }

  /** Adds the counts to those in storage. Rejects if storage fails, and keeps the counts that were not stored. */
  async write(writes: Pick<RequestWrites, 'addMinutes'>): Promise<void> {
    const rows = [...this.#rows.values()];
    for (let start = 0; start < rows.length; start += rowsPerWrite) {
      const some = rows.slice(start, start + rowsPerWrite);
      // Removed first: requests that arrive meanwhile start a new count.
      for (const row of some) this.#rows.delete(nameOfMinute(row));
      try {
        await writes.addMinutes(some);
      } catch (error) {
        // These may have been written: adding them again could count them twice.
        if (error instanceof StorageError && error.code !== 'in_doubt') this.#putBack(some);
        throw error;
      }
    }
  }

  #rowOf(place: Omit<RequestMinuteRow, 'passed' | 'failed' | 'rate_limited'>): RequestMinuteRow | undefined {
    const name = nameOfMinute(place);
    const known = this.#rows.get(name);
    if (known !== undefined || this.#rows.size >= rowsMax) return known;
    const row = { ...place, passed: 0, failed: 0, rate_limited: 0 };
    this.#rows.set(name, row);
    return row;
  }

  #putBack(rows: readonly RequestMinuteRow[]): void {
    for (const row of rows) {
      const newer = this.#rowOf(row);
      if (newer === undefined) continue;
      newer.passed += row.passed;
      newer.failed += row.failed;
      newer.rate_limited += row.rate_limited;
    }
  }
}

/** Rejections that the account, or the operator, decided on, and requests whose caller hung up before there was an answer. */
const leftOut: ReadonlySet<string> = new Set(['client_disabled', 'account_suspended', 'connection_closed']);
const rowsMax = 50_000;
const rowsPerWrite = 500;
