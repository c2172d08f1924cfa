import { type Alternative, Alternatives } from '../drafts/alternatives.ts';
import type { FindingCode } from '../findings/findings.ts';
import { splitUrl, type UrlParts } from '../reading/url-parts.ts';
import { unicodeHost } from './punycode.ts';

/** The context of a URL that its variations draw on. */
export interface UrlContext {
  readonly baseUrls: readonly string[];
  readonly internalHosts: readonly string[];
  /** The Host header, unchanged. */
  readonly host: string | undefined;
  /** Hosts named by proxies. */
  readonly forwardedHosts: readonly string[];
  /** Credentials that clients take from a URL and send as Basic authentication: `user:password`. */
  readonly userInfo: string | undefined;
  /** A body that looks like a query. */
  readonly form: string | undefined;
}

/** Lists possible replacements of the host and port. */
export function authorities({ authority }: UrlParts, around: UrlContext): readonly Alternative<string>[] {
  const list = new Alternatives(authority);
  const instead = (other: string): string => `${other} in place of ${authority}`;
  const host = hostOf(authority);
  const port = authority.slice(host.length);
  const codeOf = (other: string, code: FindingCode): FindingCode =>
    hostOf(other) === host ? 'url_host_port' : code;
  if (port !== '') list.add(host, 0.5, 'url_host_port', instead(host));
  const known = new Set(around.baseUrls.map((base) => splitUrl(base).authority));
  for (const [other, cost] of portsByCost) {
    const name = `${host}:${other}`;
    list.add(name, known.has(name) ? Math.min(cost, 1) : cost, 'url_host_port', instead(name));
  }
  list.add(`${host}:`, 4, 'url_host_port', instead(`${host}:`));
  caseForms(host).forEach((upper, index) =>
    list.add(upper + port, index < usualCaseForms ? 2 : 5, 'url_host_case', instead(upper + port)),
  );
  const unicode = unicodeHost(host);
  if (unicode !== undefined) {
    list.add(unicode + port, 1, 'url_host_unicode', instead(unicode + port));
    list.add(unicode, 2, 'url_host_unicode', instead(unicode));
  }
  for (const internal of around.internalHosts.slice(0, hostsMax)) {
    list.add(internal, 1, codeOf(internal, 'url_internal_host'), instead(internal));
    list.add(hostOf(internal), 3, codeOf(internal, 'url_internal_host'), instead(hostOf(internal)));
  }
  for (const other of around.baseUrls.slice(0, hostsMax)) {
    const name = splitUrl(other).authority;
    if (name !== '') list.add(name, 1, codeOf(name, 'url_other_host'), instead(name));
  }
  if (around.host !== undefined && around.host !== '') {
    const isCase = around.host.toLowerCase() === authority.toLowerCase();
    const code = isCase ? 'url_host_case' : codeOf(around.host, 'url_other_host');
    list.add(around.host, 1, code, instead(around.host));
  }
  if (around.userInfo !== undefined)
    for (const user of new Set([around.userInfo, around.userInfo.replace(/:$/, '')]))
      list.add(`${user}@${authority}`, 1, 'url_other_host', 'with a user before the host');
  for (const other of around.forwardedHosts.slice(0, hostsMax))
    list.add(other, 2, codeOf(other, 'url_other_host'), instead(other));
  for (const nothing of ['undefined', 'None', 'null', '{host}', '{{host}}', 'api.example.com', 'example.com'])
    list.add(
      nothing + (nothing.includes('.') ? '' : port),
      nothing === 'undefined' || nothing === 'api.example.com' ? 2 : 3.5,
      'url_other_host',
      instead(nothing),
    );
  for (const local of ['localhost', '127.0.0.1', '[::1]', '0.0.0.0']) {
    const code = codeOf(local, 'url_internal_host');
    list.add(local, 3.5, code, instead(local));
    list.add(local + port, 3.5, code, instead(local + port));
    for (const [other, cost] of portsByCost)
      list.add(`${local}:${other}`, Math.max(cost + 2, 4), code, instead(`${local}:${other}`));
  }
  list.add(`${host}.${port}`, 3, 'url_other_host', instead(`${host}.${port}`));
  list.add(host.startsWith('www.') ? host.slice(4) + port : `www.${authority}`, 4, 'url_other_host');
  return list.list;
}

const portsByCost: readonly (readonly [port: string, cost: number])[] = [
  ['443', 0.5],
  ['80', 1.5],
  ['8080', 2],
  ['8443', 3],
  ...['3000', '5000', '8000', '8081', '4443', '9443', '8888', '9000', '8090', '5001', '7443', '10443'].map(
    (port) => [port, 4] as const,
  ),
];

export const hostsMax = 32;

/** The host of an authority, without the port. */
export function hostOf(authority: string): string {
  return authority.replace(/:\d*$/, '');
}

/** Upper case as people write it: for no label, the first letter, or all letters of each. */
function caseForms(host: string): readonly string[] {
  let hosts = [''];
  const labels = host.toLowerCase().split('.');
  labels.forEach((label, index) => {
    const capital = label.charAt(0).toUpperCase() + label.slice(1);
    const ways = index < labelsVaried ? [label, capital, label.toUpperCase()] : [label];
    hosts = hosts.flatMap((before) => ways.map((way) => (index === 0 ? way : `${before}.${way}`)));
  });
  const capitals = labels.map((label) => label.charAt(0).toUpperCase() + label.slice(1));
  const [first = '', ...rest] = capitals;
  const usual = [
    host.toLowerCase(),
    [first, ...labels.slice(1)].join('.'),
    host.toUpperCase(),
    capitals.join('.'),
    [labels[0], ...rest].join('.'),
    [first.toUpperCase(), ...labels.slice(1)].join('.'),
    [first.toUpperCase(), ...rest].join('.'),
  ];
  return [...usual, ...hosts];
}

/** The most common ones come first. */
const usualCaseForms = 4;

/** 27 forms. */
const labelsVaried = 3;
