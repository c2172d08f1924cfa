import type { Scene } from './scene.ts';

/** A way to write a URL that HTTP clients rewrite, each in its own way. */
export interface UrlForm {
  readonly name: string;
  /** Returns undefined where this machine cannot call it. */
  readonly url: (scene: Scene) => string | undefined;
  /** Targets with the same meaning: as written, or as normalized by RFC 3986 or the URL standard. */
  readonly targets: readonly string[];
}

export const urlForms: readonly UrlForm[] = [
  path('percent-encoding in both cases', '/caf%c3%A9', '/caf%C3%A9', '/caf%c3%a9'),
  path('an encoded `~`', '/%7euser', '/%7Euser', '/~user'),
  path('a slash at the end', '/invoices/'),
  path('`?` alone', '/invoices?', '/invoices'),
  // In a query, both are a space in most frameworks.
  path('`+` and `%20`', '/search?a=b+c&d=e%20f', '/search?a=b+c&d=e+f'),
  path('unencoded Unicode', '/café?q=é', '/caf%C3%A9?q=%C3%A9'),
  path("`'()!*` in the path", "/it's(1)!*", '/it%27s%281%29%21%2A', "/it's%281%29!%2A"),
  path('`@:=$,` in the path', '/a@b:c=d$e,f'),
  path('a fragment', '/invoices#top', '/invoices'),
  {
    name: 'an upper-case host',
    url: ({ port }) => `http://LOCALHOST:${port}/upper`,
    targets: ['/upper'],
  },
  {
    name: 'the default port',
    url: ({ baseUrlWithoutPort: base }) => base && `${base}:80/port`,
    targets: ['/port'],
  },
  path('an empty path', '', '/'),
  {
    name: 'a user and a password',
    url: ({ port }) => `http://user:secret@127.0.0.1:${port}/account`,
    targets: ['/account'],
  },
  path('dot segments', '/a/./b/../c', '/a/c'),
  path('a double slash', '/a//b'),
  path('semicolons', '/a;v=1/b;c'),
  path('an encoded slash', '/a%2Fb', '/a%2fb'),
  path('brackets in the query', '/search?f[a]=1&g[]=2', '/search?f%5Ba%5D=1&g%5B%5D=2'),
  {
    name: 'an IPv6 address',
    url: ({ hasIpv6, port }) => (hasIpv6 ? `http://[::1]:${port}/address` : undefined),
    targets: ['/address'],
  },
];

function path(name: string, written: string, ...others: readonly string[]): UrlForm {
  return { name, url: ({ baseUrl }) => baseUrl + written, targets: [written, ...others] };
}
