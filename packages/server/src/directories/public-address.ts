import {
  type Address,
  NetworkWhitelist,
  parseAddress,
  readNetworkEntry,
} from '@countersign/contract/network';

/**
 * Returns true if a directory may be fetched from an address: a global unicast address that is not set aside for any other
 * purpose (RFC 6890 and IANA's registries of special-purpose addresses, November 2026).
 *
 * An IPv4 address inside an IPv6 address counts as itself: mapped (`::ffff:0:0/96`) and NAT64 (`64:ff9b::/96`, which a
 * resolver returns in a network without IPv4). Other transitions, such as 6to4 and Teredo, have no directories.
 */
export function isPublicAddress(text: string): boolean {
  const address = readAddress(text);
  if (address === undefined) return false;
  return address.family === 4
    ? !specialIpv4.allows(address)
    : globalIpv6.allows(address) && !specialIpv6.allows(address);
}

/**
 * Returns true if the operator may name a directory with this address: also private ones and this machine, but never one where
 * machines' credentials are served, nor one without a single owner.
 */
export function isTrustableAddress(text: string): boolean {
  const address = readAddress(text);
  if (address === undefined) return false;
  return address.family === 4
    ? !neverIpv4.allows(address)
    : (globalIpv6.allows(address) || privateIpv6.allows(address)) && !neverIpv6.allows(address);
}

/** Link-local addresses with their metadata services, those of other clouds, and addresses without a host. */
const neverIpv4 = networks(
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  // Alibaba, Oracle, Azure.
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
);

const specialIpv4 = networks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
);

/** RFC 4291 section 2.4: everything else is special or not assigned. */
const globalIpv6 = networks('2000::/3');

/** Protocol assignments with Teredo, documentation, 6to4. */
const specialIpv6 = networks('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');

const privateIpv6 = networks('fc00::/7', '::1');

/** What `specialIpv6` has, and the metadata services of AWS and Google. */
const neverIpv6 = networks(
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  'fd00:ec2::254',
  'fd20:ce::254',
);

/** @throws Error for a text that is not a network: a list that lacks one would allow too much */
function networks(...texts: readonly string[]): NetworkWhitelist {
  return new NetworkWhitelist(
    texts.map((text) => {
      const reading = readNetworkEntry(text);
      if (!reading.ok) throw new Error(`${text} is not a network.`);
      return reading.entry;
    }),
  );
}

function readAddress(text: string): Address | undefined {
  const address = parseAddress(text);
  if (address?.family !== 6) return address;
  const [first, second, third, last] = address.words;
  const isNat64 = first === 0x64ff9b && second === 0 && third === 0;
  return isNat64 ? { family: 4, words: [0, 0, 0, last] } : address;
}
