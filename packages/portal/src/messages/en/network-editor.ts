import { formatNumber, plural } from './plural.ts';

function addresses(bits: number): string {
  if (bits === 0) return '1 address';
  if (bits <= 32) return plural(2 ** bits, 'address', 'addresses');
  // IPv6 networks are counted in /64, not in addresses.
  return bits < 64 ? 'part of a /64 network' : plural(2 ** (bits - 64), '/64 network', '/64 networks');
}

export const networkEditor = {
  title: 'Network whitelist',
  description: 'Requests are accepted from these addresses only, whatever their signature.',
  entry: 'Address or network',
  entryHint: 'Such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48. 0.0.0.0 stands for everyone.',
  label: 'Label',
  labelPlaceholder: 'Optional, such as Office',
  labelOf: (entry: string): string => `Label of ${entry}`,
  add: 'Add entry',
  canonical: (text: string, bits: number): string => `${text}, ${addresses(bits)}`,
  canonicalEveryone: (text: string): string =>
    text === '0.0.0.0'
      ? '0.0.0.0 allows every address, IPv4 and IPv6'
      : `${text} allows every ${text === '::/0' ? 'IPv6' : 'IPv4'} address`,
  size: (bits: number): string => addresses(bits),
  everyone: 'Everyone',
  everyoneOf: (text: string): string => {
    if (text === '0.0.0.0') return 'Every IPv4 and IPv6 address';
    return text === '::/0' ? 'Every IPv6 address' : 'Every IPv4 address';
  },
  veryWide: 'Very wide: check that the length after the slash is meant.',
  coveredBy: (outer: string): string => `Not needed: ${outer} allows it already.`,
  list: 'Entries of the whitelist',
  empty: 'No address yet. Without one, every request of this client would be refused.',
  remove: (entry: string): string => `Remove ${entry}`,
  removed: (entry: string): string => `${entry} is removed`,
  repeated: (entry: string): string => `${entry} is in the list already.`,
  everyoneNotice: {
    title: 'Everyone may call with this client’s key',
    text: 'The signature is then all that stands between a stolen key and your account. Restrict the network as soon as you know where the program calls from.',
  },
  everyoneDialog: {
    title: 'Allow everyone?',
    text: (entries: string): string =>
      `${entries} allows addresses of the whole internet. A stolen key could then be used from anywhere. Choose this only for programs without a fixed address, or for a first try.`,
    confirm: 'Allow everyone',
  },
  tools: {
    browser: 'Add this browser’s address',
    browserOf: (address: string): string => `Add this browser’s address, ${address}`,
    browserUnknown: 'The service does not know from which address this browser calls.',
    browserCovered: (address: string): string => `This browser’s address, ${address}, is allowed already.`,
    many: 'Paste many',
    test: 'Test an address',
  },
  many: {
    label: 'Many entries',
    hint: 'One on each line, or with commas between them. What follows an entry on its line becomes its label.',
    placeholder: '203.0.113.0/24 Office\n198.51.100.7 # Backup',
    add: 'Add all',
    close: 'Close',
    added: (added: number, repeated: number): string =>
      [
        added > 0 ? `${plural(added, 'entry', 'entries')} added` : '',
        repeated > 0 ? `${formatNumber(repeated)} in the list already` : '',
      ]
        .filter(Boolean)
        .join(', '),
    unread: (count: number): string => `${plural(count, 'line', 'lines')} could not be read`,
  },
  test: {
    label: 'Address to test',
    hint: 'Would a request from there be accepted? Answered with the list as it is now, saved or not.',
    allowed: (address: string, entries: string): string => `${address} is allowed, by ${entries}.`,
    notAllowed: (address: string): string => `${address} is not allowed.`,
    unreadable: 'Write one IPv4 or IPv6 address.',
    addIt: (address: string): string => `Add ${address}`,
  },
  refused: {
    title: 'Not allowed yet',
    text: 'Correctly signed requests of this client came from here in the last 7 days.',
    textAll: 'Correctly signed requests of your clients came from here in the last 7 days.',
    item: (count: number): string => plural(count, 'request', 'requests'),
    of: (client: string): string => `of ${client}`,
    add: (address: string): string => `Add ${address}`,
    addShort: 'Add',
  },
} as const;
