import { formatNumber, plural } from './plural.ts';

function addresses(bits: number): string {
  if (bits === 0) return '1 address';
  if (bits <= 32) return plural(2 ** bits, 'address', 'addresses');
  // IPv6 networks are counted in /64, not in addresses.
  return bits < 64 ? 'part of a /64 network' : plural(2 ** (bits - 64), '/64 network', '/64 networks');
}

export const networkEditor = {
  title: 'Network whitelist',
  description: 'Requests are accepted only from these addresses, even if correctly signed.',
  entry: 'Address or network',
  entryHint: 'Such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48. 0.0.0.0 allows any address.',
  label: 'Label',
  labelPlaceholder: 'Optional, such as Office',
  labelOf: (entry: string): string => `Label for ${entry}`,
  add: 'Add entry',
  canonical: (text: string, bits: number): string => `${text}, ${addresses(bits)}`,
  canonicalEveryone: (text: string): string =>
    text === '0.0.0.0'
      ? '0.0.0.0 allows any address, IPv4 and IPv6'
      : `${text} allows any ${text === '::/0' ? 'IPv6' : 'IPv4'} address`,
  size: (bits: number): string => addresses(bits),
  everyone: 'Any address',
  everyoneOf: (text: string): string => {
    if (text === '0.0.0.0') return 'Any IPv4 or IPv6 address';
    return text === '::/0' ? 'Any IPv6 address' : 'Any IPv4 address';
  },
  veryWide: 'Very wide: is the prefix length after the slash correct?',
  special: {
    netmask:
      'This is a netmask, not an address. Enter the network with its prefix length, such as 203.0.113.0/24.',
    loopback: 'Loopback: only programs on the service’s own machine have this address.',
    private: 'Private: requests over the internet never have this address.',
    shared: 'Carrier-grade NAT: requests over the internet never have this address.',
    'link-local': 'Link-local: only machines on the same network segment have this address.',
    multicast: 'Multicast: requests never have this address.',
    documentation: 'Reserved for documentation: real requests never have this address.',
    reserved: 'Reserved: requests never have this address.',
  },
  offers: 'Did you mean',
  offer: (entries: readonly string[]): string => `Add ${entries.join(', ')}`,
  coveredBy: (outer: string): string => `Redundant: ${outer} already allows it.`,
  list: 'Whitelist entries',
  empty: 'No entries yet. Without one, every request from this client is rejected.',
  portal: {
    entryHint: 'Such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48.',
    list: 'Allowed networks',
    empty: 'No entries: members can use this account from everywhere.',
    everyone:
      'An entry that allows every address restricts nothing. To allow everywhere, leave the list empty.',
  },
  remove: (entry: string): string => `Remove ${entry}`,
  removed: (entry: string): string => `${entry} was removed`,
  repeated: (entry: string): string => `${entry} is already in the list.`,
  everyoneNotice: {
    title: 'This client’s key works from any address',
    text: 'A stolen key could then be used from anywhere. Restrict the network as soon as you know which addresses the application calls from.',
  },
  everyoneDialog: {
    title: 'Allow any address?',
    text: (entries: string): string =>
      `${entries} opens the client to the whole internet, so a stolen key could be used from anywhere. Choose this only for applications without a fixed address, or for a first test.`,
    confirm: 'Allow any address',
  },
  tools: {
    browser: 'Add this browser’s address',
    browserOf: (address: string): string => `Add this browser’s address, ${address}`,
    browserUnknown: 'The service can’t tell which address this browser calls from.',
    browserCovered: (address: string): string => `This browser’s address, ${address}, is already allowed.`,
    many: 'Paste a list',
    test: 'Test an address',
  },
  many: {
    label: 'List of entries',
    hint: 'One per line, or separated by commas. Text after an entry becomes its label.',
    placeholder: '203.0.113.0/24 Office\n198.51.100.7 # Backup',
    add: 'Add all',
    close: 'Close',
    added: (added: number, repeated: number): string =>
      [
        added > 0 ? `${plural(added, 'entry', 'entries')} added` : '',
        repeated > 0 ? `${formatNumber(repeated)} already in the list` : '',
      ]
        .filter(Boolean)
        .join(', '),
    unread: (count: number): string => `${plural(count, 'line', 'lines')} could not be read`,
  },
  test: {
    label: 'Address to test',
    hint: 'Checks the address against the list above, including unsaved changes.',
    allowed: (address: string, entries: string): string => `${address} is allowed by ${entries}.`,
    notAllowed: (address: string): string => `${address} is not allowed.`,
    unreadable: 'Enter one IPv4 or IPv6 address.',
    addIt: (address: string): string => `Add ${address}`,
  },
  refused: {
    title: 'Recently rejected addresses',
    text: 'This client sent correctly signed requests from these addresses in the last 7 days.',
    textAll: 'Your clients sent correctly signed requests from these addresses in the last 7 days.',
    item: (count: number): string => plural(count, 'request', 'requests'),
    of: (client: string): string => `from ${client}`,
    add: (address: string): string => `Add ${address}`,
    addShort: 'Add',
  },
} as const;
