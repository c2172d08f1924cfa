import type { Address } from '@countersign/contract';
import type { ClientAddressRow } from '../records/client-addresses.ts';
import { spanMs } from '../counts/request-counts.ts';
import type { RequestWrites } from './request-writes.ts';
import { sourceText } from './source-text.ts';

/** An accepted request. */
export interface AddressedRequest {
  readonly accountId: string;
  readonly clientId: string;
  readonly source: Address | undefined;
  readonly receivedAtMs: number;
}

/** Collects the addresses of accepted requests until they are written: each once a day. */
export class UnwrittenAddresses {
  /** The day in which each was last collected. */
  readonly #collected = new Map<string, number>();
  readonly #rows = new Map<string, ClientAddressRow>();

  /** Notes the address of a request. Cheap; never throws. */
  add({ accountId, clientId, source, receivedAtMs }: AddressedRequest): void {
    if (source === undefined) return;
    const address = sourceText(source);
    const name = `${clientId} ${address}`;
    const day = Math.floor(receivedAtMs / spanMs.day);
    if (this.#collected.get(name) === day || this.#rows.size >= rowsMax) return;
    if (this.#collected.size >= collectedMax) this.#collected.clear();
    this.#collected.set(name, day);
    this.#rows.set(name, {
      client_id: clientId,
      address,
      account_id: accountId,
      first_at_ms: receivedAtMs,
      last_at_ms: receivedAtMs,
    });
  }

  /** Writes the addresses. Rejects if storage fails, and keeps those that were not stored. */
  async write(writes: Pick<RequestWrites, 'addAddresses'>): Promise<void> {
    const rows = [...this.#rows];
    for (let start = 0; start < rows.length; start += rowsPerWrite) {
      const some = rows.slice(start, start + rowsPerWrite);
      await writes.addAddresses(some.map(([, row]) => row));
      for (const [name, row] of some) if (this.#rows.get(name) === row) this.#rows.delete(name);
    }
  }
}

const collectedMax = 50_000;
const rowsMax = 10_000;
const rowsPerWrite = 100;
