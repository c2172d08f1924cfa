import { type NetworkEntry, readNetworkEntry } from '@countersign/contract';

/** An entry of the whitelist that is edited. */
export interface NetworkItem {
  /** In its canonical text. */
  readonly entry: string;
  /** What people call it; may be empty. */
  readonly label: string;
}

/** What is to be said of an entry beside the others. */
export interface NetworkFacts {
  readonly isEveryone: boolean;
  /** So many addresses that one should look again. */
  readonly isVeryWide: boolean;
  /** How many addresses it allows, as a power of two; undefined for everyone. */
  readonly addressBits: number | undefined;
  /** Another entry that allows all of these addresses anyway. */
  readonly coveredBy: string | undefined;
}

/** More than this is very wide: a /16 of IPv4, a /32 of IPv6. */
const addressBitsMax = { 4: 16, 6: 96 } as const;

/** Says of each entry what should be said of it. */
export function networkFacts(items: readonly NetworkItem[]): readonly NetworkFacts[] {
  const entries = items.map(({ entry }) => readEntry(entry));
  return entries.map((entry, index) => {
    if (entry === undefined)
      return { isEveryone: false, isVeryWide: false, addressBits: undefined, coveredBy: undefined };
    const addressBits = entry.everyone ? undefined : addressBitsOf(entry);
    const outer = entries.find(
      (other, place) => place !== index && other !== undefined && covers(other, entry),
    );
    return {
      isEveryone: isEveryone(entry),
      isVeryWide: addressBits !== undefined && addressBits > addressBitsMax[entry.family],
      addressBits,
      coveredBy: outer?.text,
    };
  });
}

/** Whether an entry allows the whole internet, or all of it that speaks one of the two protocols. */
export function isEveryone(entry: NetworkEntry): boolean {
  return entry.everyone || entry.text === '0.0.0.0/0' || entry.text === '::/0';
}

/** How many bits of an address are free in an entry: 0 for a single address, 8 for a /24 of IPv4. */
export function addressBitsOf({ text, family }: NetworkEntry): number {
  const bits = family === 4 ? 32 : 128;
  const slash = text.indexOf('/');
  return slash < 0 ? 0 : bits - Number(text.slice(slash + 1));
}

function covers(outer: NetworkEntry, inner: NetworkEntry): boolean {
  if (outer.text === inner.text || inner.everyone) return false;
  if (outer.everyone) return true;
  return (
    outer.family === inner.family &&
    compare(outer.first, inner.first) <= 0 &&
    compare(inner.last, outer.last) <= 0
  );
}

function compare(one: NetworkEntry['first'], other: NetworkEntry['first']): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2] || one[3] - other[3];
}

function readEntry(text: string): NetworkEntry | undefined {
  const reading = readNetworkEntry(text);
  return reading.ok ? reading.entry : undefined;
}
