import type { Address, AddressWords } from './address.ts';
import { readNetworkEntry, type NetworkEntry } from './network-entry.ts';

/**
 * A list of networks that addresses can be checked against.
 *
 * An empty list allows nobody, and an unknown address is never allowed, not even by `0.0.0.0`. A check is a binary
 * search, so callers can't notice that a list is long.
 */
export class NetworkWhitelist {
  readonly #entries: readonly NetworkEntry[];
  readonly #everyone: boolean;
  readonly #ipv4: readonly NetworkEntry[];
  readonly #ipv6: readonly NetworkEntry[];

  constructor(entries: readonly NetworkEntry[]) {
    this.#entries = entries;
    this.#everyone = entries.some((entry) => entry.everyone);
    this.#ipv4 = withoutNested(entries.filter((entry) => entry.family === 4));
    this.#ipv6 = withoutNested(entries.filter((entry) => entry.family === 6));
  }

  /**
   * Builds a list from stored texts.
   *
   * A text that can't be read allows nobody, so a damaged record never opens access.
   */
  static fromTexts(texts: readonly string[]): NetworkWhitelist {
    const entries: NetworkEntry[] = [];
    for (const text of texts) {
      const reading = readNetworkEntry(text);
      if (reading.ok) entries.push(reading.entry);
    }
    return new NetworkWhitelist(entries);
  }

  /** Returns true if the address is in the list; false if the address is unknown. */
  allows(address: Address | undefined): boolean {
    if (address === undefined) return false;
    return this.#everyone || contains(address.family === 4 ? this.#ipv4 : this.#ipv6, address.words);
  }

  /** Returns the canonical texts of all entries that allow an address, in list order. Scans every entry. */
  entriesFor(address: Address): readonly string[] {
    return this.#entries
      .filter(
        ({ everyone, family, first, last }) =>
          everyone ||
          (family === address.family &&
            compare(first, address.words) <= 0 &&
            compare(address.words, last) <= 0),
      )
      .map(({ text }) => text);
  }
}

/**
 * Sorted by first address. Two CIDR networks are either disjoint or nested, so dropping nested ones leaves disjoint
 * ones.
 */
function withoutNested(entries: readonly NetworkEntry[]): readonly NetworkEntry[] {
  const sorted = entries.toSorted(
    (one, other) => compare(one.first, other.first) || compare(other.last, one.last),
  );
  const kept: NetworkEntry[] = [];
  for (const entry of sorted) {
    const outer = kept.at(-1);
    if (outer === undefined || compare(entry.first, outer.last) > 0) kept.push(entry);
  }
  return kept;
}

function contains(ranges: readonly NetworkEntry[], words: AddressWords): boolean {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const range = ranges[middle];
    if (range === undefined) return false;
    if (compare(words, range.first) < 0) high = middle - 1;
    else if (compare(words, range.last) > 0) low = middle + 1;
    else return true;
  }
  return false;
}

function compare(one: AddressWords, other: AddressWords): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2] || one[3] - other[3];
}
