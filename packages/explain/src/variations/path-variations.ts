import { type Alternative, alternative, Alternatives, shownByTexts } from '../drafts/alternatives.ts';
import type { TextChange } from '../drafts/base-draft.ts';
import type { FindingCode } from '../findings/findings.ts';
import { percentDecoded, splitUrl, type UrlParts, withoutDotSegments } from '../reading/url-parts.ts';
import { hostsMax, type UrlContext } from './host-variations.ts';
import { encodedUnreserved, everyPathForm, percentVariations } from './percent-variations.ts';
import { wordsOfPlaceholder } from './unset-values.ts';

/** Lists possible replacements of the path. */
export function paths({ path }: UrlParts, around: UrlContext): readonly Alternative<string>[] {
  const list = new Alternatives(path);
  const starts = startsOf(path);
  list.add(withoutDotSegments(path), 1, 'url_dot_segments', 'the signature has them resolved');
  const segmentNames = path
    .split('/')
    .slice(1, 5)
    .filter((name) => name !== '' && name.length < 40);
  for (const start of starts) {
    if (start > 0) {
      const encoded = `${path.slice(0, start)}%2F${path.slice(start + 1)}`;
      list.add(encoded, 3, 'url_path_encoding', 'a slash encoded');
      list.add(encoded.replace('%2F', '%2f'), 5, 'url_path_encoding', 'a slash encoded');
    }
    const [before, after] = [path.slice(0, start), path.slice(start)];
    list.add(
      `${before}/.${after}`,
      start === 0 ? 2 : 4,
      'url_dot_segments',
      shownByTexts('/./ in the signature'),
    );
    const segment = /^\/[^/]+/.exec(after)?.[0];
    if (segment !== undefined && starts.length <= segmentsMax) {
      list.add(
        `${before}${segment}/..${after}`,
        start === 0 ? 2 : 4,
        'url_dot_segments',
        shownByTexts('/../ in the signature'),
      );
      for (const name of [...segmentNames, 'x', 'a', 'foo', 'api', ...usualResources])
        list.add(
          `${before}/${name}/..${after}`,
          start === 0 && name === 'api' ? 2 : 5,
          'url_dot_segments',
          shownByTexts('/../ in the signature'),
        );
    }
  }
  list.add(`${path}/.`, 4, 'url_dot_segments');
  addPrefixes(list, path, starts, around);
  const last = path.slice(path.lastIndexOf('/'));
  list.add('/', 2, 'url_path_prefix', 'only /');
  list.add(path.slice(1), 2, 'url_double_slash', 'no slash after the host');
  list.add(path.slice(0, -last.length), 2, 'url_path_prefix', `without ${last}`);
  list.add(last, 2, 'url_path_prefix', `without ${path.slice(0, -last.length)}`);
  for (const ending of ['.json', '.xml'])
    list.add(path + ending, ending === '.json' ? 2 : 4, 'url_path_prefix', `with ${ending} after it`);
  addPlaceholders(list, path, starts);
  if (/[A-Z]/.test(path.replace(/%../g, '')))
    list.add(path.toLowerCase(), 2, 'base_value_case', 'the path in lower case');
  list.add(path.toUpperCase(), 3, 'base_value_case', 'the path in upper case');
  list.add('', 2, 'url_path_prefix', 'no path');
  return list.list;
}

/** Lists other slashes in the path, whatever its segments are. */
export function pathSlashes({ path }: UrlParts): readonly Alternative<TextChange>[] {
  const doubled = startsOf(path).map((_, index): SlashRow => [
    'url_double_slash',
    index === 0 ? 1 : index === 1 ? 2 : 4,
    (text) => withSlashAt(text, index, '//'),
  ]);
  return changes(path, [
    ['url_trailing_slash', 0.5, (text) => (text.endsWith('/') ? text.slice(0, -1) : `${text}/`)],
    ...doubled,
    [
      'url_double_slash',
      1,
      (text) => text.replace(/\/{2,}/g, '/'),
      'the request has one, the signature has not',
    ],
    ['url_double_slash', 3, (text) => text.replaceAll('/', '//'), 'all slashes doubled'],
    ['url_double_slash', 2, (text) => `${text}//`, 'two slashes at the end'],
  ]);
}

type SlashRow = readonly [code: FindingCode, cost: number, change: TextChange, detail?: string];

/** Keeps the changes that produce a text of their own. */
function changes(path: string, rows: readonly SlashRow[]): readonly Alternative<TextChange>[] {
  const known = new Set([path]);
  return rows.flatMap(([code, cost, change, detail]) => {
    const text = change(path);
    if (known.has(text)) return [];
    known.add(text);
    return [{ value: change, cost, notes: [{ code, ...(detail !== undefined && { detail }) }] }];
  });
}

function startsOf(path: string): readonly number[] {
  return [...path.matchAll(/\//g)].map(({ index }) => index).slice(0, segmentsMax);
}

/** Replaces one slash, counted from the first. */
function withSlashAt(text: string, wanted: number, slash: string): string {
  let count = 0;
  return text.replace(/\//g, (own) => (count++ === wanted ? slash : own));
}

/** Placeholders for an identifier, which is usually the third segment. */
const usualPlaceholders: ReadonlySet<string> = new Set(['{id}', 'undefined', 'None', ':id', '%s']);

/** Lists segments that were still a template's placeholder, or had no value at all. */
function addPlaceholders(list: Alternatives<string>, path: string, starts: readonly number[]): void {
  for (const [index, start] of starts.slice(1).entries()) {
    const [before, after] = [path.slice(0, start + 1), path.slice(start + 1).replace(/^[^/]*/, '')];
    const segment = path.slice(start + 1, path.length - after.length);
    for (const name of placeholders) {
      // A placeholder that was also sent only has another encoding.
      if (percentDecoded(name) === percentDecoded(segment)) continue;
      // A shell left nothing of it.
      if (name === '' && segment.startsWith('$')) continue;
      const cost = index === 1 && usualPlaceholders.has(name) ? 2 : 4;
      list.add(before + name + after, cost, 'url_path_prefix', wordsOfPlaceholder(name, segment));
    }
  }
}

const placeholders = ['{id}', ':id', '%7Bid%7D', 'undefined', 'None', 'null', '%s', '[object%20Object]', ''];

/** Lists the encodings that no usual encoder produces: too many to combine with other mistakes. */
export function rarePathEncodings({ path }: UrlParts): readonly Alternative<TextChange>[] {
  return [...everyPathForm(path), ...encodedUnreserved(path)].map(({ detail, cost, apply }) =>
    alternative('url_path_encoding', detail, cost, (text: string) => apply(text) ?? text),
  );
}

/** Lists other encodings of the path, whatever its segments are. */
export function pathEncodings({ path }: UrlParts): readonly Alternative<TextChange>[] {
  const list = new Alternatives(path);
  return [...percentVariations('path'), ...backslashes].flatMap(({ detail: words, cost, apply }) => {
    const before = list.list.length;
    list.add(apply(path), cost, 'url_path_encoding', words);
    if (list.list.length === before) return [];
    return [alternative('url_path_encoding', words, cost, (text: string) => apply(text) ?? text)];
  });
}

/** Many clients replace backslashes with slashes, as browsers do. */
const backslashes = [2, 1, 3, 0].map((kept) => ({
  detail: shownByTexts('backslashes in the signature, slashes in the request'),
  cost: kept === 2 || kept === 1 ? 2.5 : 4,
  apply: (text: string) => {
    let count = 0;
    return text.replace(/\//g, () => (count++ < kept ? '/' : '\\'));
  },
}));

const usualPrefixes: readonly string[] = (
  '/api /v1 /index.php /v2 /gateway /rest /v3 /public /prod /production /sandbox /test /staging /stage /dev /service /services ' +
  '/external /partner /api/v1 /api/v2 /api/rest /countersign /app /backend /internal /proxy /live /payments'
).split(' ');

const isVersion = /^\/v[12]$/;

const usualResources = ['clients', 'users', 'accounts', 'orders', 'customers', 'me', 'payments', 'current'];

export const segmentsMax = 12;

function addPrefixes(
  list: Alternatives<string>,
  path: string,
  starts: readonly number[],
  around: UrlContext,
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
    list.add(prefix + path, index < 3 ? 2 : index < 6 ? 3 : 4, 'url_path_prefix', `with ${prefix} before it`);
    const second = starts[1];
    if (second !== undefined)
      list.add(
        prefix + path.slice(second),
        isVersion.test(prefix) && isVersion.test(path.slice(0, second)) ? 2 : 4,
        'url_path_prefix',
        `with ${prefix} in place of ${path.slice(0, second)}`,
      );
  }
}
