import { type Alternative, alternative, Alternatives, type Dimension } from '../drafts/alternatives.ts';
import {
  authorityText,
  type BaseDraft,
  originText,
  pathText,
  queryText,
  showsLine,
  showsUrl,
  type UrlForm,
  type UrlPart,
  wholeUrl,
} from '../drafts/base-draft.ts';
import type { FindingCode } from '../findings/findings.ts';
import { splitUrl, type UrlParts } from '../reading/url-parts.ts';
import { authorities, hostOf, type UrlContext } from './host-variations.ts';
import { pathEncodings, pathSlashes, paths, rarePathEncodings, segmentsMax } from './path-variations.ts';
import { queries, queryEncodings, queryOrders, rareQueryEncodings } from './query-variations.ts';
import { spoiledUrls } from './spoiled-urls.ts';
import { unfinishedQueries } from './unfinished-queries.ts';

/** Lists every known mistake about the URL in a signature base. */
export function urlDimensions(url: UrlParts, around: UrlContext): readonly Dimension<BaseDraft>[] {
  return [
    // First, because it determines which of the parts are written.
    {
      field: 'targetUri',
      isWritten: (draft) => draft.otherText === undefined && showsLine(draft, '@target-uri'),
      alternatives: () => [...(isOriginAlone(url) ? [] : originForms), ...partForms, ...caseForms(url)],
      alone: () => spoiledUrls(url),
    },
    {
      field: 'origin',
      isWritten: (draft) => showsUrl(draft, 'scheme') && showsUrl(draft, 'authority'),
      alternatives: () => otherOrigins(url, around),
    },
    { field: 'scheme', isWritten: shows('scheme'), alternatives: () => schemes(url) },
    { field: 'authority', isWritten: shows('authority'), alternatives: () => authorities(url, around) },
    { field: 'pathSlashes', isWritten: shows('path'), alternatives: () => pathSlashes(url) },
    { field: 'path', isWritten: shows('path'), alternatives: () => paths(url, around) },
    {
      field: 'pathEncoding',
      isWritten: shows('path'),
      alternatives: () => pathEncodings(url),
      alone: () => rarePathEncodings(url),
    },
    {
      field: 'query',
      isWritten: shows('query'),
      alternatives: () => queries(url, around.form),
      alone: () => unfinishedQueries(url),
    },
    { field: 'queryOrder', isWritten: hasQuery, alternatives: () => queryOrders(url) },
    {
      field: 'queryEncoding',
      isWritten: hasQuery,
      alternatives: () => queryEncodings(url),
      alone: () => rareQueryEncodings(url),
    },
    { field: 'fragment', isWritten: shows('fragment'), alternatives: () => fragments(url) },
  ];
}

/** Returns true if only a slash follows the host, so that removing it leaves the origin alone. */
function isOriginAlone({ path, query }: UrlParts): boolean {
  return path === '/' && query === '';
}

function shows(part: UrlPart): (draft: BaseDraft) => boolean {
  return (draft) => showsUrl(draft, part);
}

function hasQuery(draft: BaseDraft): boolean {
  return draft.query.length > 1 && showsUrl(draft, 'query');
}

/** Lists possible replacements of scheme and host: base URLs may differ in scheme, host and prefix at once. */
function otherOrigins(url: UrlParts, around: UrlContext): readonly Alternative<string>[] {
  const list = new Alternatives(url.scheme + url.authority);
  // Another port of the same host is reported as a port.
  const own = hostOf(url.authority);
  const replace = (code: FindingCode, origin: string, cost = 1): unknown =>
    list.add(origin, cost, code, `${origin} in place of ${url.scheme}${url.authority}`);
  for (const host of around.internalHosts.slice(0, originsMax).filter((one) => hostOf(one) !== own))
    replace('url_internal_host', `http://${host}`);
  for (const base of around.baseUrls.slice(0, originsMax).map((one) => one.replace(/\/$/, ''))) {
    if (base.startsWith(url.scheme) || hostOf(splitUrl(base).authority) === own) continue;
    replace('url_other_host', base);
  }
  for (const host of ['localhost', '127.0.0.1'].filter((one) => one !== own))
    for (const port of localPorts)
      replace('url_internal_host', `http://${host}${port}`, usualLocalPorts.has(port) ? 2 : 4);
  return list.list;
}

const originsMax = 8;
const localPorts = ['', ':8080', ':3000', ':8000', ':5000'];
const usualLocalPorts: ReadonlySet<string> = new Set([':8080', ':3000']);

const rest = (draft: BaseDraft): string => pathText(draft) + queryText(draft) + draft.fragment;

type UrlRow = readonly [detail: string, cost: number, write: UrlForm['write']];

function urlForms(
  code: FindingCode,
  parts: string,
  rows: readonly UrlRow[],
): readonly Alternative<UrlForm>[] {
  const shown = parts.split(' ') as UrlPart[];
  return rows.map(([detail, cost, write]) => alternative(code, detail, cost, { write, parts: shown }));
}

const originForms = urlForms('url_path_only', 'scheme authority', [
  ['only scheme and host', 2, originText],
  ['only scheme and host, with a slash', 2, (draft) => `${originText(draft)}/`],
]);

const partForms: readonly Alternative<UrlForm>[] = [
  ...urlForms('url_path_only', 'path query fragment', [['only path and query', 0.5, (draft) => rest(draft)]]),
  ...urlForms('url_path_only', 'path', [['only the path, without query', 2, (draft) => pathText(draft)]]),
  ...urlForms('url_path_only', 'authority', [['only the host', 2, authorityText]]),
  ...urlForms('url_path_only', 'authority path query fragment', [
    ['no scheme', 2, (draft) => authorityText(draft) + rest(draft)],
    ['no scheme', 2, (draft) => `//${authorityText(draft)}${rest(draft)}`],
  ]),
  ...urlForms('url_path_only', 'path query fragment', [
    ['no slash at the start', 2, (draft) => rest(draft).slice(1)],
  ]),
  ...urlForms('url_path_prefix', 'scheme authority path query fragment', [
    ['scheme and host twice', 1.5, (draft) => originText(draft) + wholeUrl(draft)],
    ['the path twice', 2, (draft) => originText(draft) + pathText(draft) + rest(draft)],
  ]),
  ...urlForms('url_query_part', 'scheme authority path query', [
    ['the query twice', 2, (draft) => wholeUrl(draft) + queryText(draft)],
    ['the query twice', 2, (draft) => wholeUrl(draft) + queryText(draft).replace('?', '&')],
  ]),
  ...urlForms('base_request_target', 'path query', [
    ['method and path', 2, (draft) => `${draft.method.toLowerCase()} ${rest(draft)}`],
    ['method and path', 2, (draft) => `${draft.method} ${rest(draft)}`],
    ['the request line', 3, (draft) => `${draft.method} ${rest(draft)} HTTP/1.1`],
  ]),
  ...urlForms('url_path_encoding', 'scheme authority path query fragment', [
    // encodeURIComponent throws for lone surrogates.
    ['the whole URL encoded', 2, (draft) => encodeURIComponent(wholeUrl(draft).toWellFormed())],
  ]),
];

/** Lower-case hex is another encoding, not another case of the URL. */
function caseForms({ path, query }: UrlParts): readonly Alternative<UrlForm>[] {
  const hasUpper = /[A-Z]/.test((path + query).replace(/%../g, ''));
  return urlForms('base_value_case', 'scheme authority path query fragment', [
    ...(hasUpper
      ? [['the URL in lower case', 2, (draft: BaseDraft) => wholeUrl(draft).toLowerCase()] as const]
      : []),
    ['the URL in upper case', 2.5, (draft) => wholeUrl(draft).toUpperCase()],
  ]);
}

function schemes({ scheme }: UrlParts) {
  const list = new Alternatives(scheme);
  const other = scheme.toLowerCase() === 'https://' ? 'http://' : 'https://';
  list.add(other, 0.5, 'url_scheme', `${other} in place of ${scheme}`);
  for (const upper of [scheme.toUpperCase(), `H${scheme.slice(1)}`])
    list.add(upper, 3, 'url_scheme', `${upper} in place of ${scheme}`);
  return list.list;
}

const usualFragments = [
  '',
  'top',
  '/',
  'list',
  'create',
  'get',
  'search',
  'update',
  'delete',
  'overview',
  'introduction',
  'content',
  'section',
  'fragment',
  'main',
  'details',
  'anchor',
  'recent',
  'latest',
  'new',
  'all',
  'home',
  'info',
  'history',
  'items',
  'results',
  'summary',
  'settings',
  'comments',
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
    list.add(`#${name}`, index < 3 ? 2 : 4, 'url_fragment', `#${name} in the signature`);
  // Documentation and single-page applications use fragments named after the path.
  for (const segment of path
    .split('/')
    .slice(1, segmentsMax)
    .filter((one) => one.length < 40)) {
    for (const name of [segment, segment.replace(/s$/, '')]) {
      for (const before of ['/', '', '!/', 'create-', 'create-a-', 'get-', 'list-', 'update-'])
        list.add(
          `#${before}${name}`,
          before === '/' ? 3 : 4,
          'url_fragment',
          `#${before}${name} in the signature`,
        );
    }
  }
  return list.list;
}
