import {
  type Alternative,
  alternative,
  alternatives,
  Alternatives,
  type Dimension,
} from '../drafts/alternatives.ts';
import { type BaseDraft, wholeUrl } from '../drafts/base-draft.ts';
import type { FindingCode } from '../findings/findings.ts';
import { splitUrl, type UrlParts } from '../reading/url-parts.ts';
import { authorities, type UrlSurroundings } from './host-variations.ts';
import { paths, segmentsMax } from './path-variations.ts';
import { queries } from './query-variations.ts';

/** Lists every known mistake about the URL in a signature base. */
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

/** Replaces the whole origin: base URLs may differ in scheme, host and prefix at once. */
function otherOrigins(
  url: UrlParts,
  around: UrlSurroundings,
): readonly Alternative<BaseDraft['targetUri']>[] {
  const own = url.scheme + url.authority;
  const replaced = (code: FindingCode, origin: string) =>
    alternative(
      code,
      `${origin} in place of ${own}`,
      1,
      (draft: BaseDraft) => origin + draft.path + draft.query + draft.fragment,
    );
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

type UrlForm = BaseDraft['targetUri'];

const forms: readonly Alternative<UrlForm>[] = [
  ...alternatives<UrlForm>('url_path_only', [
    ['only path and query', 0.5, ({ path, query, fragment }) => path + query + fragment],
    ['only scheme and host', 3, ({ scheme, authority }) => scheme + authority],
    ['no scheme', 2, ({ authority, path, query }) => authority + path + query],
    ['no scheme', 3, ({ authority, path, query }) => `//${authority}${path}${query}`],
    ['no slash at the start', 3, ({ path, query }) => path.slice(1) + query],
  ]),
  ...alternatives<UrlForm>('base_request_target', [
    ['method and path', 2, ({ method, path, query }) => `${method.toLowerCase()} ${path}${query}`],
    ['method and path', 2, ({ method, path, query }) => `${method} ${path}${query}`],
    ['the request line', 3, ({ method, path, query }) => `${method} ${path}${query} HTTP/1.1`],
  ]),
  ...alternatives<UrlForm>('url_query_encoding', [
    // encodeURIComponent throws for lone surrogates.
    ['the whole URL encoded', 3, (draft) => encodeURIComponent(wholeUrl(draft).toWellFormed())],
  ]),
  ...alternatives<UrlForm>('base_value_case', [
    ['the URL in lower case', 2, (draft) => wholeUrl(draft).toLowerCase()],
    ['the URL in upper case', 4, (draft) => wholeUrl(draft).toUpperCase()],
  ]),
  ...alternatives<UrlForm>('base_value_trimmed', [
    ['a space after the URL', 4, (draft) => `${wholeUrl(draft)} `],
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
