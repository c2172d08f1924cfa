import {
  allowsEveryone,
  type NetworkEntry,
  NetworkWhitelist,
  parseAddress,
  readNetworkEntry,
} from '@countersign/contract';
import { specialKindOf, type SpecialKind } from './special-networks.ts';

/** An entry of the whitelist being edited. */
export interface NetworkItem {
  /** In canonical form. */
  readonly entry: string;
  /** May be empty. */
  readonly label: string;
  /** The last accepted request from there, if the entry is saved and was used. RFC 3339. */
  readonly lastSeenAt?: string | undefined;
}

/** Facts to point out about an entry. */
export interface NetworkFacts {
  readonly isEveryone: boolean;
  readonly isVeryWide: boolean;
  /** The number of addresses as a power of two; undefined for everyone. */
  readonly addressBits: number | undefined;
  /** Another entry that allows all of these addresses. */
  readonly coveredBy: string | undefined;
  readonly special: SpecialKind | undefined;
}

/** Anything larger is very wide: a /16 of IPv4, a /32 of IPv6. */
const addressBitsMax = { 4: 16, 6: 96 } as const;

export function networkFacts(items: readonly NetworkItem[]): readonly NetworkFacts[] {
  const entries = items.map(({ entry }) => readEntry(entry));
  return entries.map((entry, index) => {
    if (entry === undefined)
      return {
        isEveryone: false,
        isVeryWide: false,
        addressBits: undefined,
        coveredBy: undefined,
        special: undefined,
      };
    const addressBits = entry.everyone ? undefined : addressBitsOf(entry);
    const outer = entries.find(
      (other, place) => place !== index && other !== undefined && covers(other, entry),
    );
    return {
      isEveryone: allowsEveryone(entry),
      isVeryWide: addressBits !== undefined && addressBits > addressBitsMax[entry.family],
      addressBits,
      coveredBy: outer?.text,
      special: specialKindOf(entry),
    };
  });
}

export { allowsEveryone as isEveryone } from '@countersign/contract';

/** Returns the free bits of an entry: 0 for a single address, 8 for an IPv4 /24. */
export function addressBitsOf({ text, family }: NetworkEntry): number {
  const bits = family === 4 ? 32 : 128;
  const slash = text.indexOf('/');
  return slash < 0 ? 0 : bits - Number(text.slice(slash + 1));
}

/** Checks an address with the same code as the service. */
export function isAllowed(items: readonly NetworkItem[], address: string): boolean {
  return NetworkWhitelist.fromTexts(items.map(({ entry }) => entry)).allows(parseAddress(address));
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
