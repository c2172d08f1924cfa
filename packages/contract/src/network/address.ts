/**
 * An IP address as numbers, so that different spellings of one address are equal.
 *
 * An IPv4-mapped IPv6 address (`::ffff:203.0.113.7`) is read as the IPv4 address, because a dual-stack socket reports
 * IPv4 peers in that form.
 */
export interface Address {
  readonly family: 4 | 6;
  /** 128 bits as four unsigned 32-bit words, highest first. IPv4 uses the last word; the others are 0. */
  readonly words: AddressWords;
}

/** Four unsigned 32-bit numbers, highest first. */
export type AddressWords = readonly [number, number, number, number];

/**
 * Reads an IPv4 or IPv6 address strictly; returns undefined for anything else.
 *
 * Rejects leading zeros, hexadecimal, octal and short IPv4 forms, zones (`%eth0`), brackets, ports and white space.
 * Source: RFC 4291 section 2.2; RFC 6943 section 3.1.1 on why loose forms are dangerous.
 */
export function parseAddress(text: string): Address | undefined {
  if (text.length > addressCharactersMax) return undefined;
  if (!text.includes(':')) {
    const value = readIpv4(text);
    return value === undefined ? undefined : { family: 4, words: [0, 0, 0, value] };
  }
  const groups = readIpv6Groups(text);
  if (groups === undefined) return undefined;
  const words = groupsToWords(groups);
  if (words[0] === 0 && words[1] === 0 && words[2] === 0xffff)
    return { family: 4, words: [0, 0, 0, words[3]] };
  return { family: 6, words };
}

/** Formats an address in its canonical form: dotted for IPv4, RFC 5952 for IPv6. */
export function formatAddress(address: Address): string {
  const { family, words } = address;
  if (family === 4) {
    const value = words[3];
    return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
  }
  const groups = words.flatMap((word) => [word >>> 16, word & 0xffff]);
  const gap = longestZeroRun(groups);
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (gap === undefined) return text(groups);
  return `${text(groups.slice(0, gap.start))}::${text(groups.slice(gap.start + gap.length))}`;
}

/** The length of the longest address, `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`. */
const addressCharactersMax = 45;

function readIpv4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0;
  for (const part of parts) {
    if (!/^(?:0|[1-9][0-9]{0,2})$/.test(part)) return undefined;
    const octet = Number(part);
    if (octet > 255) return undefined;
    value = value * 256 + octet;
  }
  return value;
}

/** Returns eight 16-bit groups, with `::` expanded and a dotted ending converted to two groups. */
function readIpv6Groups(text: string): number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [before = '', after] = halves;
  const last = readGroups(after ?? before, true);
  if (last === undefined) return undefined;
  if (after === undefined) return last.length === 8 ? last : undefined;
  const first = readGroups(before, false);
  if (first === undefined) return undefined;
  const missing = 8 - first.length - last.length;
  // RFC 4291 section 2.2: "::" stands for one or more groups.
  return missing < 1 ? undefined : [...first, ...Array<number>(missing).fill(0), ...last];
}

function readGroups(text: string, dottedEndAllowed: boolean): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (dottedEndAllowed && index === parts.length - 1 && part.includes('.')) {
      const value = readIpv4(part);
      if (value === undefined) return undefined;
      groups.push(Math.floor(value / 65536), value % 65536);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      return undefined;
    }
  }
  return groups;
}

function groupsToWords(groups: readonly number[]): AddressWords {
  const word = (index: number): number => (groups[index] ?? 0) * 65536 + (groups[index + 1] ?? 0);
  return [word(0), word(2), word(4), word(6)];
}

/** RFC 5952 section 4.2: shorten the longest run of two or more zero groups, or the first if runs tie. */
function longestZeroRun(groups: readonly number[]): { start: number; length: number } | undefined {
  let best: { start: number; length: number } | undefined;
  let start = 0;
  for (let index = 0; index <= groups.length; index += 1) {
    if (groups[index] === 0) continue;
    const length = index - start;
    if (length >= 2 && length > (best?.length ?? 0)) best = { start, length };
    start = index + 1;
  }
  return best;
}
