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
  readonly #collected = new CollectedDays();
  readonly #rows = new Map<string, ClientAddressRow>();

  /** Notes the address of a request. Cheap; never throws. */
  add({ accountId, clientId, source, receivedAtMs }: AddressedRequest): void {
    if (source === undefined) return;
    const day = Math.floor(receivedAtMs / spanMs.day);
    // Before there is any text: most requests end here.
    if (this.#collected.get(clientId, source) === day || this.#rows.size >= rowsMax) return;
    this.#collected.set(clientId, source, day);
    const address = sourceText(source);
    this.#rows.set(`${clientId} ${address}`, {
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

/** The day in which each address of a client was last collected, of IPv6 each network of 64 bits: by its numbers. */
class CollectedDays {
  readonly #days = new Map<string, Map<number, Map<number, number>>>();
  #size = 0;

  get(clientId: string, source: Address): number | undefined {
    const [high, low] = numbersOf(source);
    return this.#days.get(clientId)?.get(high)?.get(low);
  }

  /** Forgets all if there are too many: they are collected once more. */
  set(clientId: string, source: Address, day: number): void {
    if (this.#size >= collectedMax) {
      this.#days.clear();
      this.#size = 0;
    }
    const [high, low] = numbersOf(source);
    const networks = this.#days.get(clientId) ?? new Map<number, Map<number, number>>();
    const days = networks.get(high) ?? new Map<number, number>();
    this.#days.set(clientId, networks);
    networks.set(high, days);
    if (!days.has(low)) this.#size += 1;
    days.set(low, day);
  }
}

/** The numbers that `sourceText` writes. No IPv6 address has the first one of IPv4. */
function numbersOf({ family, words }: Address): readonly [number, number] {
  return family === 4 ? [-1, words[3]] : [words[0], words[1]];
}

const collectedMax = 50_000;
const rowsMax = 10_000;
const rowsPerWrite = 100;
