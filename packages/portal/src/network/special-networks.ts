import { type NetworkEntry, NetworkWhitelist } from '@countersign/contract';
import { netmaskLength } from './meant-entries.ts';

/** Why requests are unlikely to come from an entry, or why many callers share it. */
export type SpecialKind =
  | 'netmask'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'link-local'
  | 'multicast'
  | 'documentation'
  | 'reserved';

/** From the IANA registries of special-purpose addresses (RFC 6890), IPv4 and IPv6. */
const specialNetworks: readonly (readonly [SpecialKind, readonly string[]])[] = [
  ['loopback', ['127.0.0.0/8', '::1']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
  ['shared', ['100.64.0.0/10']],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['multicast', ['224.0.0.0/4', 'ff00::/8']],
  ['documentation', ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20']],
  ['reserved', ['0.0.0.0/8', '192.0.0.0/24', '198.18.0.0/15', '240.0.0.0/4', '100::/64', '2001::/23']],
];

const lists = specialNetworks.map(([kind, entries]) => [kind, NetworkWhitelist.fromTexts(entries)] as const);

/** Returns what is special about all of an entry's addresses; undefined for ordinary ones. */
export function specialKindOf({
  text,
  everyone,
  family,
  first,
  last,
}: NetworkEntry): SpecialKind | undefined {
  if (everyone) return undefined;
  // A netmask that belongs to the network before it.
  if (netmaskLength(text) !== undefined) return 'netmask';
  return lists.find(([, list]) => {
    const around = list.entriesFor({ family, words: last });
    return list.entriesFor({ family, words: first }).some((network) => around.includes(network));
  })?.[0];
}
