import type { AddressWords } from './address.ts';
import { readNetworkEntry } from './network-entry.ts';

/**
 * Returns true if a whitelist becomes very wide, or is and lets in more than before: its entries together contain as many
 * public addresses as an IPv4 /8 or an IPv6 /20, as everyone and every half of the internet do. Private networks (RFC 1918,
 * RFC 4193) do not count, nor do addresses that nobody has outside a machine or a link.
 *
 * @param before the texts of its present entries; an unreadable one contains nobody
 * @param after the texts of its next entries
 */
export function opensWide(before: readonly string[], after: readonly string[]): boolean {
  return families.some(({ family, wide }) => {
    const present = rangesOf(before, family);
    const next = rangesOf(after, family);
    if (publicAddresses(next, family) < wide) return false;
    return publicAddresses([...present, ...next], family) > publicAddresses(present, family);
  });
}

interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

const families = [
  { family: 4, wide: 1n << 24n },
  { family: 6, wide: 1n << 108n },
] as const;

type Family = (typeof families)[number]['family'];

function rangesOf(texts: readonly string[], family: Family): readonly Range[] {
  return texts.flatMap((text) => {
    const reading = readNetworkEntry(text);
    if (!reading.ok) return [];
    const { entry } = reading;
    if (entry.everyone) return [{ first: 0n, last: family === 4 ? (1n << 32n) - 1n : (1n << 128n) - 1n }];
    return entry.family === family ? [{ first: numberOf(entry.first), last: numberOf(entry.last) }] : [];
  });
}

const notPublic: Readonly<Record<Family, readonly Range[]>> = {
  4: rangesOf(['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'], 4),
  6: rangesOf(['::1', 'fc00::/7', 'fe80::/10'], 6),
};

/** Counts the public addresses in some ranges, each once. */
function publicAddresses(ranges: readonly Range[], family: Family): bigint {
  const hidden = notPublic[family];
  return size([...ranges, ...hidden]) - size(hidden);
}

/** Counts the addresses in some ranges, each once. */
function size(ranges: readonly Range[]): bigint {
  let count = 0n;
  let counted = -1n;
  for (const { first, last } of ranges.toSorted((one, other) => (one.first < other.first ? -1 : 1))) {
    const start = first > counted ? first : counted + 1n;
    if (last < start) continue;
    count += last - start + 1n;
    counted = last;
  }
  return count;
}

function numberOf(words: AddressWords): bigint {
  return words.reduce((number, word) => (number << 32n) | BigInt(word), 0n);
}
