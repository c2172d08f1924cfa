import { formatAddress, parseAddress, type Address, type AddressWords } from './address.ts';

/** One entry of a network whitelist: an address, a network in CIDR notation, or everyone. */
export interface NetworkEntry {
  /** The canonical text that is stored, shown and compared. */
  readonly text: string;
  /** True only for `0.0.0.0`, which stands for every IPv4 and IPv6 address. */
  readonly everyone: boolean;
  readonly family: 4 | 6;
  /** The entry's lowest and highest address, both inclusive. */
  readonly first: AddressWords;
  readonly last: AddressWords;
}

/** The result of reading an entry: the entry, or a sentence that says what to write instead. */
export type NetworkEntryReading =
  | { readonly ok: true; readonly entry: NetworkEntry }
  | { readonly ok: false; readonly message: string };

/**
 * Reads one whitelist entry.
 *
 * - `203.0.113.7`, `2001:db8::7`: that address. An IPv4-mapped address becomes the IPv4 address.
 * - `203.0.113.0/24`, `2001:db8::/32`: that network. An address inside a network is rejected, and the message gives
 *   the right network, so that nobody opens 256 addresses when they mean one.
 * - `0.0.0.0`: everyone, IPv4 and IPv6. The specification gives it this meaning, and nothing else has it.
 * - `0.0.0.0/0`: every IPv4 address and no IPv6 address. `::/0`: every IPv6 address and no IPv4 address.
 * - `::`, `0.0.0.0/32`, `::ffff:0.0.0.0`: rejected. Nobody calls from them, and they look like "everyone".
 *
 * Spaces, tabs and line ends around the entry are removed, because copied text has them; anywhere else they are
 * rejected. The message never repeats the input.
 */
export function readNetworkEntry(text: string): NetworkEntryReading {
  if (text.length > entryCharactersMax) return { ok: false, message: form };
  const trimmed = text.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '');
  if (trimmed === everyoneText) return { ok: true, entry: everyoneEntry };
  const slash = trimmed.indexOf('/');
  const address = parseAddress(slash < 0 ? trimmed : trimmed.slice(0, slash));
  if (address === undefined) return { ok: false, message: adviceForUnreadable(trimmed) };
  const bits = address.family === 4 ? 32 : 128;
  if (slash < 0) return entryOf(address, bits);
  const prefixText = trimmed.slice(slash + 1);
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(prefixText)) return { ok: false, message: prefixAdvice };
  // For a network in the IPv4-mapped form, the prefix length includes the first 96 bits.
  const mapped = address.family === 4 && trimmed.includes(':');
  const prefixLength = Number(prefixText) - (mapped ? 96 : 0);
  if (prefixLength < 0 || prefixLength > bits) return { ok: false, message: prefixAdvice };
  return entryOf(address, prefixLength);
}

/** Returns true if an entry allows the whole internet, or all of IPv4 or IPv6. */
export function allowsEveryone({ everyone, text }: NetworkEntry): boolean {
  return everyone || text === '0.0.0.0/0' || text === '::/0';
}

/**
 * Reads one of the networks from which an account's people may use the portal: an entry as above, but none that
 * allows everyone, because a list that has one only looks like a restriction.
 */
export function readPortalNetworkEntry(text: string): NetworkEntryReading {
  const reading = readNetworkEntry(text);
  return reading.ok && allowsEveryone(reading.entry) ? { ok: false, message: everyoneInPortal } : reading;
}

const everyoneInPortal =
  'This entry allows every address. To allow the portal from everywhere, leave the list empty instead.';

/** Returns the canonical texts of every possible entry that allows an address: everyone, its networks, and itself. */
export function entryTextsFor({ family, words }: Address): readonly string[] {
  const [bits, skipped] = family === 4 ? [32, 96] : [128, 0];
  const networks = Array.from({ length: bits }, (_, prefixLength) => {
    const first = withHostBits(words, prefixLength + skipped, 0);
    return `${formatAddress({ family, words: first })}/${prefixLength}`;
  });
  return [everyoneText, ...networks, formatAddress({ family, words })];
}

/** Enough for the longest address, a prefix length, and some white space around them. */
const entryCharactersMax = 80;

/** The canonical text of "everyone". */
const everyoneText = '0.0.0.0';
const everyoneEntry: NetworkEntry = {
  text: everyoneText,
  everyone: true,
  family: 4,
  first: [0, 0, 0, 0],
  last: [0, 0, 0, 0xffffffff],
};

const form =
  'Write an IPv4 or IPv6 address, a network such as 203.0.113.0/24 or 2001:db8::/32, or 0.0.0.0 for everyone.';
const prefixAdvice =
  'Write the length after the slash as a number from 0 to 32 for IPv4 and from 0 to 128 for IPv6.';

function entryOf(address: Address, prefixLength: number): NetworkEntryReading {
  const { family } = address;
  const skipped = family === 4 ? 96 : 0;
  const first = withHostBits(address.words, prefixLength + skipped, 0);
  const last = withHostBits(address.words, prefixLength + skipped, 0xffffffff);
  const isSingle = prefixLength === (family === 4 ? 32 : 128);
  const networkText = `${formatAddress({ family, words: first })}/${prefixLength}`;
  if (!sameWords(first, address.words)) {
    const single = formatAddress(address);
    return { ok: false, message: `Write the network as ${networkText}, or the single address as ${single}.` };
  }
  if (isSingle && address.words.every((word) => word === 0)) {
    return {
      ok: false,
      message:
        'Nobody calls from this address: write 0.0.0.0 for everyone, 0.0.0.0/0 for every IPv4 address or ::/0 for every IPv6 address.',
    };
  }
  const text = isSingle ? formatAddress(address) : networkText;
  return { ok: true, entry: { text, everyone: false, family, first, last } };
}

/** Returns the words with every bit after the prefix set from `fill` (all zeros or all ones). */
function withHostBits(words: AddressWords, prefixBits: number, fill: 0 | 0xffffffff): AddressWords {
  const word = (index: 0 | 1 | 2 | 3): number => {
    const kept = Math.min(32, Math.max(0, prefixBits - index * 32));
    // JavaScript treats a shift by 32 as a shift by 0, so the whole word needs its own case.
    const mask = kept === 0 ? 0 : (0xffffffff << (32 - kept)) >>> 0;
    return ((words[index] & mask) | (fill & ~mask)) >>> 0;
  };
  // The words before an IPv4 address are always 0; the 96 bits added to the prefix cover them.
  return [word(0), word(1), word(2), word(3)];
}

function sameWords(one: AddressWords, other: AddressWords): boolean {
  return one.every((word, index) => word === other[index]);
}

function adviceForUnreadable(text: string): string {
  if (text === '') return form;
  if (/[,;\s]/.test(text)) return `Give one address or network per entry. ${form}`;
  if (text.includes('*')) return `Write a range as a network with a length, not with "*". ${form}`;
  if (text.includes('%')) return `Leave out the zone, the part from "%" on. ${form}`;
  if (/^\[.*\]|^[0-9.]+:[0-9]+$/.test(text)) return `Leave out brackets and port. ${form}`;
  if (/^[0-9.]+$/.test(text))
    return `Write IPv4 as four decimal numbers from 0 to 255 without leading zeros. ${form}`;
  return form;
}
