/** Cases that a client cannot support, whatever the signer. Their cells are not run. */
export interface Limit {
  readonly language: string;
  /** All clients of the language by default. */
  readonly clients?: readonly string[];
  /** The prefix of its cases' names. */
  readonly cases: readonly string[];
  readonly reason: string;
}

export const limits: readonly Limit[] = [
  {
    language: 'javascript',
    clients: ['fetch', 'fetch with Web Crypto', 'axios with its fetch adapter', 'ky'],
    cases: ['body of GET'],
    reason: '`fetch` throws a `TypeError` for a GET with a body.',
  },
  {
    language: 'javascript',
    clients: ['ky'],
    cases: ['URL: a user and a password'],
    reason: '`new Request()`, which ky calls first, throws a `TypeError` for a URL with a password.',
  },
  {
    language: 'ruby',
    clients: ['faraday'],
    cases: ['method PROPFIND', 'method QUERY'],
    reason: 'Faraday raises an `ArgumentError` for methods that it does not know.',
  },
  {
    language: 'ruby',
    clients: ['faraday'],
    cases: ['URL: unencoded Unicode', 'URL: an IPv6 address'],
    reason: 'Faraday 1.1 raises a `URI::InvalidURIError` for these, before its middleware sees them.',
  },
];

/** Returns why a client cannot support a case; undefined if it can. */
export function limitOf(language: string, client: string, name: string): string | undefined {
  return limits.find(
    (limit) =>
      limit.language === language &&
      (limit.clients?.includes(client) ?? true) &&
      limit.cases.some((start) => name.startsWith(start)),
  )?.reason;
}
