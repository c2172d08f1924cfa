import type { BaseDraft } from '../search/base-draft.ts';
import { type Alternative, Alternatives, type Dimension } from '../search/enumeration.ts';
import type { FindingCode } from '../findings/findings.ts';
import { percentVariations } from './percent-variations.ts';
import { unicodeHost } from './punycode.ts';
import { queryOrders } from './query-orders.ts';

/** A target URI in its parts, as text. */
export interface UrlParts {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** What the variations of a URL are made of beside the URL. */
export interface UrlSurroundings {
  readonly baseUrls: readonly string[];
  readonly internalHosts: readonly string[];
  /** The Host header, as it came. */
  readonly host: string | undefined;
  /** Hosts that proxies name. */
  readonly forwardedHosts: readonly string[];
}

/** Splits a URL without changing any of its text. */
export function splitUrl(text: string): UrlParts {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text);
  return {
    scheme: match?.[1] ?? '',
    authority: match?.[2] ?? '',
    path: match?.[3] ?? text,
    query: match?.[4] ?? '',
    fragment: match?.[5] ?? '',
  };
}

/** Everything that is known to go wrong about the URL of a signature base. */
export function urlDimensions(url: UrlParts, around: UrlSurroundings): readonly Dimension<BaseDraft>[] {
  return [
    { field: 'scheme', alternatives: () => schemes(url) },
    { field: 'authority', alternatives: () => authorities(url, around) },
    { field: 'path', alternatives: () => paths(url, around) },
    { field: 'query', alternatives: () => queries(url) },
    { field: 'fragment', isWritten: hasTargetUri, alternatives: () => fragments(url) },
    {
      field: 'targetUri',
      isWritten: hasTargetUri,
      alternatives: () => [...otherOrigins(url, around), ...forms],
    },
  ];
}

function hasTargetUri({ structure: { lines } }: BaseDraft): boolean {
  return lines.includes('@target-uri');
}

/** Whole base URLs in place of that of the request: those differ in scheme, host and prefix at once. */
function otherOrigins(
  url: UrlParts,
  around: UrlSurroundings,
): readonly Alternative<BaseDraft['targetUri']>[] {
  const own = url.scheme + url.authority;
  const replaced = (code: FindingCode, origin: string): Alternative<BaseDraft['targetUri']> => ({
    value: (draft) => origin + draft.path + draft.query + draft.fragment,
    cost: 1,
    notes: [{ code, detail: `${origin} in place of ${own}` }],
  });
  const internal = around.internalHosts
    .slice(0, originsMax)
    .map((host) => replaced('url_internal_host', `http://${host}`));
  const others = around.baseUrls
    .slice(0, originsMax)
    .map((base) => base.replace(/\/$/, ''))
    .filter((base) => !base.startsWith(url.scheme) && splitUrl(base).authority !== url.authority)
    .map((base) => replaced('url_other_host', base));
  return [...internal, ...others];
}

const originsMax = 8;

/** The usual way to put a URL together. */
export function wholeUrl(draft: BaseDraft): string {
  return draft.scheme + draft.authority + draft.path + draft.query + draft.fragment;
}

const forms = [
  form('url_path_only', 'only path and query', 0.5, (draft) => draft.path + draft.query + draft.fragment),
  form('url_path_only', 'only scheme and host', 3, (draft) => draft.scheme + draft.authority),
  form('url_path_only', 'no scheme', 2, (draft) => draft.authority + draft.path + draft.query),
  form('url_path_only', 'no scheme', 3, (draft) => `//${draft.authority}${draft.path}${draft.query}`),
  form('url_path_only', 'no slash at the start', 3, (draft) => draft.path.slice(1) + draft.query),
  form(
    'base_request_target',
    'method and path',
    2,
    (draft) => `${draft.method.toLowerCase()} ${draft.path}${draft.query}`,
  ),
  form('base_request_target', 'method and path', 2, (draft) => `${draft.method} ${draft.path}${draft.query}`),
  form(
    'base_request_target',
    'the request line',
    3,
    (draft) => `${draft.method} ${draft.path}${draft.query} HTTP/1.1`,
  ),
  form('url_query_encoding', 'the whole URL encoded', 3, (draft) =>
    encodeURIComponent(safe(wholeUrl(draft))),
  ),
  form('base_value_case', 'the URL in lower case', 2, (draft) => wholeUrl(draft).toLowerCase()),
  form('base_value_case', 'the URL in upper case', 4, (draft) => wholeUrl(draft).toUpperCase()),
  form('base_value_trimmed', 'a space after the URL', 4, (draft) => `${wholeUrl(draft)} `),
] as const;

function form(
  code:
    | 'url_path_only'
    | 'base_request_target'
    | 'url_query_encoding'
    | 'base_value_case'
    | 'base_value_trimmed',
  detail: string,
  cost: number,
  value: (draft: BaseDraft) => string,
) {
  return { value, cost, notes: [{ code, detail }] };
}

/** encodeURIComponent throws at lone surrogates. */
function safe(text: string): string {
  return text.toWellFormed();
}

function schemes({ scheme }: UrlParts) {
  const list = new Alternatives(scheme);
  const other = scheme.toLowerCase() === 'https://' ? 'http://' : 'https://';
  list.add(other, 0.5, 'url_scheme', `${other} in place of ${scheme}`);
  for (const upper of [scheme.toUpperCase(), `H${scheme.slice(1)}`])
    list.add(upper, 4, 'url_scheme', `${upper} in place of ${scheme}`);
  return list.list;
}

const portsByCost: readonly (readonly [port: string, cost: number])[] = [
  ['443', 0.5],
  ['80', 1],
  ['8080', 2],
  ['8443', 2],
  ...['3000', '5000', '8000', '8081', '4443', '9443', '8888', '9000', '8090', '5001', '7443', '10443'].map(
    (port) => [port, 3] as const,
  ),
];

function authorities({ authority }: UrlParts, around: UrlSurroundings) {
  const list = new Alternatives(authority);
  const instead = (other: string): string => `${other} in place of ${authority}`;
  const [, host = authority, port = ''] = /^(.*?)(:\d*)?$/s.exec(authority) ?? [];
  if (port !== '') list.add(host, 0.5, 'url_host_port', instead(host));
  const known = new Set(around.baseUrls.map((base) => splitUrl(base).authority));
  for (const [other, cost] of portsByCost) {
    const name = `${host}:${other}`;
    list.add(name, known.has(name) ? Math.min(cost, 1) : cost, 'url_host_port', instead(name));
  }
  list.add(`${host}:`, 4, 'url_host_port', instead(`${host}:`));
  caseForms(host).forEach((upper, index) =>
    list.add(upper + port, index < usualCaseForms ? 2 : 4, 'url_host_case', instead(upper + port)),
  );
  const unicode = unicodeHost(host);
  if (unicode !== undefined) {
    list.add(unicode + port, 1, 'url_host_unicode', instead(unicode + port));
    list.add(unicode, 2, 'url_host_unicode', instead(unicode));
  }
  for (const internal of around.internalHosts.slice(0, hostsMax)) {
    list.add(internal, 1, 'url_internal_host', instead(internal));
    list.add(internal.replace(/:\d+$/, ''), 3, 'url_internal_host', instead(internal));
  }
  for (const other of around.baseUrls.slice(0, hostsMax)) {
    const name = splitUrl(other).authority;
    if (name !== '') list.add(name, 1, 'url_other_host', instead(name));
  }
  if (around.host !== undefined && around.host !== '') {
    const isCase = around.host.toLowerCase() === authority.toLowerCase();
    list.add(around.host, 1, isCase ? 'url_host_case' : 'url_other_host', instead(around.host));
  }
  for (const other of around.forwardedHosts.slice(0, hostsMax))
    list.add(other, 2, 'url_other_host', instead(other));
  for (const local of ['localhost', '127.0.0.1', '[::1]', '0.0.0.0']) {
    list.add(local, 3, 'url_internal_host', instead(local));
    list.add(local + port, 3, 'url_internal_host', instead(local + port));
    for (const [other, cost] of portsByCost)
      list.add(`${local}:${other}`, cost + 2, 'url_internal_host', instead(`${local}:${other}`));
  }
  list.add(`${host}.${port}`, 4, 'url_other_host', instead(`${host}.${port}`));
  list.add(host.startsWith('www.') ? host.slice(4) + port : `www.${authority}`, 4, 'url_other_host');
  return list.list;
}

const hostsMax = 32;

/** Upper case as people write it: of each label nothing, the first letter, or all. */
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
    host.toUpperCase(),
    capitals.join('.'),
    [first, ...labels.slice(1)].join('.'),
    [labels[0], ...rest].join('.'),
    [first.toUpperCase(), ...labels.slice(1)].join('.'),
    [first.toUpperCase(), ...rest].join('.'),
  ];
  return [...usual, ...hosts];
}

/** Those that are met most. */
const usualCaseForms = 7;

/** 27 forms. */
const labelsVaried = 3;

const usualPrefixes: readonly string[] = (
  '/api /v1 /v2 /v3 /rest /gateway /public /prod /production /sandbox /test /staging /stage /dev /service /services ' +
  '/index.php /external /partner /api/v1 /api/v2 /api/rest /countersign /app /backend /internal /proxy /live /payments'
).split(' ');

const usualResources = ['clients', 'users', 'accounts', 'orders', 'customers', 'me', 'payments', 'current'];

const segmentsMax = 12;

function paths({ path }: UrlParts, around: UrlSurroundings) {
  const list = new Alternatives(path);
  list.add(path.endsWith('/') ? path.slice(0, -1) : `${path}/`, 0.5, 'url_trailing_slash');
  const starts = [...path.matchAll(/\//g)].map(({ index }) => index).slice(0, segmentsMax);
  for (const start of starts) {
    const cost = start === 0 ? 1 : 3;
    list.add(`${path.slice(0, start)}/${path.slice(start)}`, cost, 'url_double_slash');
  }
  list.add(path.replace(/\/{2,}/g, '/'), 1, 'url_double_slash', 'the request has one, the signature has not');
  list.add(withoutDotSegments(path), 1, 'url_dot_segments', 'the signature has them resolved');
  const segmentNames = path
    .split('/')
    .slice(1, 5)
    .filter((name) => name !== '' && name.length < 40);
  for (const start of starts) {
    if (start > 0) {
      const encoded = `${path.slice(0, start)}%2F${path.slice(start + 1)}`;
      list.add(encoded, 2, 'url_path_encoding', 'a slash encoded');
      list.add(encoded.replace('%2F', '%2f'), 4, 'url_path_encoding', 'a slash encoded');
    }
    const [before, after] = [path.slice(0, start), path.slice(start)];
    list.add(`${before}/.${after}`, 2, 'url_dot_segments', '/./ in the signature');
    const segment = /^\/[^/]+/.exec(after)?.[0];
    if (segment !== undefined && starts.length <= segmentsMax) {
      list.add(`${before}${segment}/..${after}`, 3, 'url_dot_segments', '/../ in the signature');
      for (const name of [...segmentNames, 'x', 'a', 'foo', 'api', ...usualResources])
        list.add(`${before}/${name}/..${after}`, 3, 'url_dot_segments', '/../ in the signature');
    }
  }
  list.add(`${path}/.`, 4, 'url_dot_segments');
  addPrefixes(list, path, starts, around);
  for (const { detail, cost, apply } of percentVariations('path'))
    list.add(apply(path), cost, 'url_path_encoding', detail);
  list.add(path.toLowerCase(), 2, 'base_value_case', 'the path in lower case');
  list.add(path.toUpperCase(), 4, 'base_value_case', 'the path in upper case');
  list.add('', 3, 'url_path_prefix', 'no path');
  return list.list;
}

function addPrefixes(
  list: Alternatives<string>,
  path: string,
  starts: readonly number[],
  around: UrlSurroundings,
): void {
  for (const start of starts.slice(1)) {
    const cost = start === starts[1] ? 1 : 2;
    list.add(path.slice(start), cost, 'url_path_prefix', `without ${path.slice(0, start)}`);
  }
  for (const other of around.baseUrls.slice(0, hostsMax)) {
    const prefix = splitUrl(other).path.replace(/\/$/, '');
    if (prefix !== '') list.add(prefix + path, 1, 'url_path_prefix', `with ${prefix} before it`);
  }
  for (const [index, prefix] of usualPrefixes.entries()) {
    list.add(prefix + path, index < 8 ? 2 : 3, 'url_path_prefix', `with ${prefix} before it`);
    const second = starts[1];
    if (second !== undefined)
      list.add(
        prefix + path.slice(second),
        3,
        'url_path_prefix',
        `with ${prefix} in place of ${path.slice(0, second)}`,
      );
  }
}

/** RFC 3986 section 5.2.4, for a path that begins with a slash. */
function withoutDotSegments(path: string): string {
  const output: string[] = [];
  const segments = path.split('/').slice(1);
  segments.forEach((segment, index) => {
    const isLast = index === segments.length - 1;
    if (segment === '..') output.pop();
    if (segment !== '.' && segment !== '..') output.push(segment);
    else if (isLast) output.push('');
  });
  return `/${output.join('/')}`;
}

function queries({ query }: UrlParts) {
  const list = new Alternatives(query);
  if (query === '') {
    list.add('?', 2, 'url_trailing_question_mark', 'signed with ?, sent without');
    return list.list;
  }
  if (query === '?') return list.add('', 1, 'url_trailing_question_mark', 'sent with ?, signed without').list;
  list.add('', 0.5, 'url_no_query', `without ${query}`);
  list.add('?', 3, 'url_no_query', `without ${query.slice(1)}`);
  const encodings = percentVariations('query');
  for (const { detail, cost, apply } of encodings) list.add(apply(query), cost, 'url_query_encoding', detail);
  const orders = queryOrders(query);
  for (const { text, detail, cost } of orders) list.add(text, cost, 'url_query_order', detail);
  for (const order of orders.slice(0, 6)) {
    for (const encoding of encodings) {
      list.addNoted(encoding.apply(order.text), order.cost + encoding.cost, [
        { code: 'url_query_order', detail: order.detail },
        { code: 'url_query_encoding', detail: encoding.detail },
      ]);
    }
  }
  addParts(list, query);
  list.add(query.toLowerCase(), 3, 'base_value_case', 'the query in lower case');
  list.add(query.slice(1), 4, 'url_query_part', 'without the question mark');
  return list.list;
}

/** Parameters without value are written in two ways, and some are left out. */
function addParts(list: Alternatives<string>, query: string): void {
  const parts = query.slice(1).split('&').slice(0, 64);
  const join = (some: readonly string[]): string => `?${some.join('&')}`;
  list.add(join(parts.map((part) => part.replace(/=$/, ''))), 2, 'url_query_part', 'empty values without =');
  list.add(
    join(parts.map((part) => (part.includes('=') ? part : `${part}=`))),
    2,
    'url_query_part',
    'empty values with =',
  );
  list.add(
    join(parts.filter((part) => !/^[^=]*=?$/.test(part))),
    3,
    'url_query_part',
    'without empty parameters',
  );
  list.add(`${query}&`, 3, 'url_query_part', '& at the end');
  list.add(query.replace(/&$/, ''), 2, 'url_query_part', 'no & at the end');
  if (parts.length < 2) return;
  list.add(`?${parts[0]!}`, 1, 'url_query_part', 'only what is before the first &, where a shell cuts off');
  const unique = parts.filter(
    (part, index) => parts.findLastIndex((other) => nameOf(other) === nameOf(part)) === index,
  );
  list.add(join(unique), 2, 'url_query_part', 'of repeated parameters only the last');
  const first = parts.filter(
    (part, index) => parts.findIndex((other) => nameOf(other) === nameOf(part)) === index,
  );
  list.add(join(first), 2, 'url_query_part', 'of repeated parameters only the first');
  parts.slice(0, 16).forEach((part, index) => {
    list.add(join(parts.toSpliced(index, 1)), 2, 'url_query_part', `without ${part}`);
  });
}

function nameOf(part: string): string {
  return part.split('=', 1)[0]!;
}

const usualFragments = [
  'list',
  'create',
  'get',
  'search',
  'update',
  'delete',
  'overview',
  'introduction',
  'content',
  '',
  'top',
  '/',
  'section',
  'fragment',
  'main',
  'details',
  'anchor',
  'frag',
  'section1',
  'section-1',
  'x',
  'a',
];

function fragments({ fragment, path }: UrlParts) {
  const list = new Alternatives(fragment);
  if (fragment !== '') list.add('', 1, 'url_fragment', `without ${fragment}`);
  for (const [index, name] of usualFragments.entries())
    list.add(`#${name}`, index < 3 ? 2 : 3, 'url_fragment', `#${name} in the signature`);
  // Pages of documents and single-page applications name what the path names.
  for (const segment of path
    .split('/')
    .slice(1, segmentsMax)
    .filter((one) => one.length < 40)) {
    for (const name of [segment, segment.replace(/s$/, '')]) {
      for (const before of ['/', '', '!/', 'create-', 'create-a-', 'get-', 'list-', 'update-'])
        list.add(
          `#${before}${name}`,
          before === '/' ? 2 : 3,
          'url_fragment',
          `#${before}${name} in the signature`,
        );
    }
  }
  return list.list;
}
