import { hashText } from './shared-hash.ts';
import { countCells, idBytes, nameBytes, type SharedGuardMemory, type SharedParts } from './shared-memory.ts';

/**
 * Counts the entries of each client and each account, in memory that threads share.
 *
 * A name counts in one cell of each of two rows, and its count is the lower one (a count-min sketch): never
 * too low, and too high only for a name that shares both cells, which has a chance of one in four billion and
 * cannot be forced.
 */
export class SharedCounts {
  readonly #counts: Int32Array;
  readonly #secret: Uint32Array;

  constructor({ secret }: SharedGuardMemory, { counts }: SharedParts) {
    this.#counts = counts;
    this.#secret = secret;
  }

  /** Counts one more entry, unless the name already has `entriesMax`. */
  take(name: string, entriesMax: number): boolean {
    const [first, second] = this.#cells(name);
    const before = Math.min(Atomics.add(this.#counts, first, 1), Atomics.add(this.#counts, second, 1));
    if (before < entriesMax) return true;
    this.#add(first, second, -1);
    return false;
  }

  giveBack(name: string): void {
    const [first, second] = this.#cells(name);
    this.#add(first, second, -1);
  }

  #add(first: number, second: number, entries: number): void {
    Atomics.add(this.#counts, first, entries);
    Atomics.add(this.#counts, second, entries);
  }

  #cells(name: string): [number, number] {
    const secret = this.#secret;
    const first = hashText(name, secret, firstRow, countBits);
    return [first, countCells + hashText(name, secret, secondRow, countBits)];
  }
}

const countBits = Math.log2(countCells);
const firstRow = 1 + idBytes;
const secondRow = firstRow + 1 + nameBytes;
