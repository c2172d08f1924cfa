import {
  type Alternative,
  alternative,
  alternatives,
  Alternatives,
  type Dimension,
} from '../drafts/alternatives.ts';
import { type BaseDraft, pathText, queryText, wholeUrl } from '../drafts/base-draft.ts';
import type { FindingCode } from '../findings/findings.ts';
import { splitUrl, type UrlParts } from '../reading/url-parts.ts';
import { authorities, type UrlSurroundings } from './host-variations.ts';
import { pathEncodings, paths, segmentsMax } from './path-variations.ts';
import { queries, queryEncodings, queryOrders } from './query-variations.ts';

/** Lists every known mistake about the URL in a signature base. */
export function urlDimensions(url: UrlParts, around: UrlSurroundings): readonly Dimension<BaseDraft>[] {
  return [
    { field: 'scheme', alternatives: () => schemes(url) },
    { field: 'authority', alternatives: () => authorities(url, around) },
    { field: 'path', alternatives: () => paths(url, around) },
    { field: 'pathEncoding', alternatives: () => pathEncodings(url) },
    { field: 'query', alternatives: () => queries(url) },
    { field: 'queryOrder', isWritten: hasQuery, alternatives: () => queryOrders(url) },
    { field: 'queryEncoding', isWritten: hasQuery, alternatives: () => queryEncodings(url) },
    { field: 'fragment', isWritten: hasTargetUri, alternatives: () => fragments(url) },
    {
      field: 'targetUri',
      isWritten: hasTargetUri,
      alternatives: () => [...otherOrigins(url, around), ...forms],
    },
  ];
}

function hasQuery({ query }: BaseDraft): boolean {
  return query.length > 1;
}

function hasTargetUri({ structure: { lines } }: BaseDraft): boolean {
  return lines.includes('@target-uri');
}

/** Replaces the whole origin: base URLs may differ in scheme, host and prefix at once. */
function otherOrigins(
  url: UrlParts,
  around: UrlSurroundings,
): readonly Alternative<BaseDraft['targetUri']>[] {
  const own = url.scheme + url.authority;
  const replaced = (code: FindingCode, origin: string, cost = 1) =>
    alternative(
      code,
      `${origin} in place of ${own}`,
      cost,
      (draft: BaseDraft) => origin + pathText(draft) + queryText(draft) + draft.fragment,
    );
  const internal = around.internalHosts
    .slice(0, originsMax)
    .map((host) => replaced('url_internal_host', `http://${host}`));
  const others = around.baseUrls
    .slice(0, originsMax)
    .map((base) => base.replace(/\/$/, ''))
    .filter((base) => !base.startsWith(url.scheme) && splitUrl(base).authority !== url.authority)
    .map((base) => replaced('url_other_host', base));
  const local = ['localhost', '127.0.0.1'].flatMap((host) =>
    localPorts.map((port) => replaced('url_internal_host', `http://${host}${port}`, 2.5)),
  );
  return [...internal, ...others, ...local];
}

const originsMax = 8;
const localPorts = ['', ':8080', ':3000', ':8000', ':5000'];

type UrlForm = BaseDraft['targetUri'];

const rest = (draft: BaseDraft): string => pathText(draft) + queryText(draft);
const origin = ({ scheme, authority }: BaseDraft): string => scheme + authority;

const forms: readonly Alternative<UrlForm>[] = [
  ...alternatives<UrlForm>('url_path_only', [
    ['only path and query', 0.5, (draft) => rest(draft) + draft.fragment],
    ['only scheme and host', 2, origin],
    ['only scheme and host, with a slash', 2, (draft) => `${origin(draft)}/`],
    ['only the host', 3, ({ authority }) => authority],
    ['no scheme', 2, (draft) => draft.authority + rest(draft)],
    ['no scheme', 3, (draft) => `//${draft.authority}${rest(draft)}`],
    ['no slash at the start', 2, (draft) => rest(draft).slice(1)],
  ]),
  ...alternatives<UrlForm>('url_path_prefix', [
    ['scheme and host twice', 1.5, (draft) => origin(draft) + wholeUrl(draft)],
    ['the path twice', 2, (draft) => origin(draft) + pathText(draft) + rest(draft)],
  ]),
  ...alternatives<UrlForm>('url_query_part', [
    ['the query twice', 2, (draft) => wholeUrl(draft) + queryText(draft)],
    ['the query twice', 3, (draft) => wholeUrl(draft) + queryText(draft).replace('?', '&')],
  ]),
  ...alternatives<UrlForm>('base_request_target', [
    ['method and path', 2, (draft) => `${draft.method.toLowerCase()} ${rest(draft)}`],
    ['method and path', 2, (draft) => `${draft.method} ${rest(draft)}`],
    ['the request line', 3, (draft) => `${draft.method} ${rest(draft)} HTTP/1.1`],
  ]),
  ...alternatives<UrlForm>('url_query_encoding', [
    // encodeURIComponent throws for lone surrogates.
    ['the whole URL encoded', 2, (draft) => encodeURIComponent(wholeUrl(draft).toWellFormed())],
  ]),
  ...alternatives<UrlForm>('base_value_case', [
    ['the URL in lower case', 2, (draft) => wholeUrl(draft).toLowerCase()],
    ['the URL in upper case', 3, (draft) => wholeUrl(draft).toUpperCase()],
  ]),
];

function schemes({ scheme }: UrlParts) {
  const list = new Alternatives(scheme);
  const other = scheme.toLowerCase() === 'https://' ? 'http://' : 'https://';
  list.add(other, 0.5, 'url_scheme', `${other} in place of ${scheme}`);
  for (const upper of [scheme.toUpperCase(), `H${scheme.slice(1)}`])
    list.add(upper, 4, 'url_scheme', `${upper} in place of ${scheme}`);
  return list.list;
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
  // Documentation and single-page applications use fragments named after the path.
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
