import type { Address } from '@countersign/contract';
import { otherSources, type UnattributedCountRow } from '../counts/unattributed-counts.ts';
import { spanMs } from '../counts/request-counts.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { sourceText } from './source-text.ts';
import type { RequestWrites } from './request-writes.ts';

/** A request that names no client but was let through. */
export interface UnattributedRequest {
  readonly requestId: string;
  readonly outcome: string;
  readonly source: Address | undefined;
  readonly receivedAtMs: number;
}

/**
 * Counts requests that name no client, by day and source, until they are written. They have no owner, so only
 * the operator can see them. Strangers choose their addresses, so the number of sources is limited, here and in
 * storage.
 */
export class UnattributedCounts {
  #rows = new Map<string, UnattributedCountRow>();

  /** Counts a request. Cheap; never throws. */
  add({ requestId, outcome, source, receivedAtMs }: UnattributedRequest): void {
    const day = receivedAtMs - (receivedAtMs % spanMs.day);
    const from = source === undefined ? otherSources : sourceText(source);
    const name = (text: string): string => `${day} ${text} ${outcome}`;
    const isKept = this.#rows.has(name(from)) || this.#rows.size < kindsMax;
    const kept = isKept ? from : otherSources;
    const known = this.#rows.get(name(kept));
    this.#rows.set(name(kept), {
      starts_at_ms: day,
      source: kept,
      outcome,
      count: (known?.count ?? 0) + 1,
      last_at_ms: receivedAtMs,
      last_request_id: requestId,
    });
  }

  /** Adds the counts to those in storage. Rejects if storage fails, and keeps the counts that were not stored. */
  async write(writes: UnattributedWrites): Promise<void> {
    const byDay = Map.groupBy(this.#rows, ([, row]) => row.starts_at_ms);
    for (const ofDay of byDay.values()) {
      for (let start = 0; start < ofDay.length; start += rowsPerWrite)
        await this.#writeSome(writes, ofDay.slice(start, start + rowsPerWrite));
    }
  }

  async #writeSome(
    writes: UnattributedWrites,
    entries: readonly (readonly [name: string, row: UnattributedCountRow])[],
  ): Promise<void> {
    const rows = entries.map(([, row]) => row);
    // Removed first: requests that arrive meanwhile start a new count.
    for (const [name] of entries) this.#rows.delete(name);
    try {
      await writes.addUnattributedCounts(rows);
    } catch (error) {
      // These may have been written: adding them again could count them twice.
      if (error instanceof StorageError && error.code !== 'in_doubt') this.#putBack(entries);
      throw error;
    }
  }

  #putBack(entries: readonly (readonly [name: string, row: UnattributedCountRow])[]): void {
    for (const [name, row] of entries) {
      const newer = this.#rows.get(name);
      this.#rows.set(name, newer === undefined ? row : { ...newer, count: newer.count + row.count });
    }
  }
}

type UnattributedWrites = Pick<RequestWrites, 'addUnattributedCounts'>;

const kindsMax = 1000;
const rowsPerWrite = 100;
