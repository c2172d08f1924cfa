import { formatAddress, parseAddress, readNetworkEntry } from '@countersign/contract';

/** Entries to offer instead of a text that is not one. All entries of one offer belong together. */
export type Offer = readonly string[];

/**
 * Returns possible meanings of a text that is not an entry: an address inside a network (`203.0.113.77/24`),
 * a range (`203.0.113.8-203.0.113.15`, `203.0.113.8-15`), a netmask (`203.0.113.0/255.255.255.0`) or a
 * wildcard (`203.0.113.*`). Empty if the text is an entry, or could mean anything.
 */
export function meantEntries(text: string): readonly Offer[] {
  const trimmed = text.trim();
  if (trimmed.length > textLengthMax || readNetworkEntry(trimmed).ok) return [];
  const offers = insideNetwork(trimmed) ?? masked(trimmed) ?? wildcard(trimmed) ?? range(trimmed) ?? [];
  return offers.filter((offer) => offer.length > 0 && offer.every((entry) => readNetworkEntry(entry).ok));
}

const textLengthMax = 100;
/** A range that needs more is not offered. */
const entriesMax = 16;

/** `203.0.113.77/24` is the network, or the one address. */
function insideNetwork(text: string): readonly Offer[] | undefined {
  const [, addressText = '', length] = /^([0-9a-fA-F:.]+)\/(\d{1,3})$/.exec(text) ?? [];
  const address = parseAddress(addressText);
  if (address === undefined || length === undefined) return undefined;
  const bits = address.family === 4 ? 32 : 128;
  if (Number(length) > bits) return undefined;
  const first = (valueOf(address.words) >> BigInt(bits - Number(length))) << BigInt(bits - Number(length));
  return [[`${textOf(first, address.family)}/${Number(length)}`], [formatAddress(address)]];
}

/** `203.0.113.0/255.255.255.0`, with a slash or a space. */
function masked(text: string): readonly Offer[] | undefined {
  const [, addressText = '', maskText = ''] = /^([0-9.]+)[/\s]+([0-9.]+)$/.exec(text) ?? [];
  const address = parseAddress(addressText);
  const length = netmaskLength(maskText);
  if (address?.family !== 4 || length === undefined) return undefined;
  return insideNetwork(`${addressText}/${length}`)?.slice(0, 1);
}

/** `203.0.113.*` and `203.0.*.*`. */
function wildcard(text: string): readonly Offer[] | undefined {
  if (!/^(?:\d{1,3}\.){1,3}\*(?:\.\*){0,2}$/.test(text)) return undefined;
  const numbers = text.split('.').filter((part) => part !== '*');
  const padded = [...numbers, '0', '0', '0'].slice(0, 4);
  return [[`${padded.join('.')}/${numbers.length * 8}`]];
}

/** `203.0.113.8-203.0.113.15` and `203.0.113.8-15`: the fewest networks with exactly these addresses. */
function range(text: string): readonly Offer[] | undefined {
  const [, firstText = '', lastText = ''] = /^([0-9a-fA-F:.]+)\s*[-–—]\s*([0-9a-fA-F:.]+)$/.exec(text) ?? [];
  const first = parseAddress(firstText);
  const isShort = /^\d{1,3}$/.test(lastText) && first?.family === 4;
  const last = parseAddress(isShort ? firstText.replace(/\d+$/, lastText) : lastText);
  if (first === undefined || last?.family !== first.family) return undefined;
  const entries = networksBetween(valueOf(first.words), valueOf(last.words), first.family);
  return entries === undefined ? undefined : [entries];
}

function networksBetween(start: bigint, last: bigint, family: 4 | 6): Offer | undefined {
  const bits = family === 4 ? 32 : 128;
  const entries: string[] = [];
  for (let first = start; first <= last;) {
    if (entries.length === entriesMax) return undefined;
    let free = 0;
    while (
      free < bits &&
      (first & ((2n << BigInt(free)) - 1n)) === 0n &&
      first + (2n << BigInt(free)) - 1n <= last
    )
      free += 1;
    entries.push(free === 0 ? textOf(first, family) : `${textOf(first, family)}/${bits - free}`);
    first += 1n << BigInt(free);
  }
  return entries;
}

/** Returns the number of leading ones if a text is a netmask, such as 24 for `255.255.255.0`; undefined otherwise. */
export function netmaskLength(text: string): number | undefined {
  const address = parseAddress(text);
  if (address?.family !== 4) return undefined;
  const value = address.words[3];
  const length = Math.clz32(~value);
  const isMask = length > 0 && (length === 32 ? 0 : (value << length) >>> 0) === 0;
  return isMask ? length : undefined;
}

function valueOf(words: readonly number[]): bigint {
  return words.reduce((value, word) => (value << 32n) | BigInt(word), 0n);
}

function textOf(value: bigint, family: 4 | 6): string {
  const word = (place: bigint): number => Number((value >> (place * 32n)) & 0xffff_ffffn);
  return formatAddress({ family, words: [word(3n), word(2n), word(1n), word(0n)] });
}
