import { type Alternative, alternative, Alternatives, reorderings } from '../drafts/alternatives.ts';
import type { TextChange } from '../drafts/base-draft.ts';
import { decodedForm, percentDecoded, type UrlParts } from '../reading/url-parts.ts';
import { listWritings } from './list-writings.ts';
import { encodedUnreserved, everyQueryForm, percentVariations } from './percent-variations.ts';

/** Lists possible replacements of the query. `form` is the body, if it may have been one. */
export function queries({ query }: UrlParts, form: string | undefined): readonly Alternative<string>[] {
  const list = new Alternatives(query);
  if (query === '') {
    list.add('?', 2, 'url_trailing_question_mark', 'signed with ?, sent without');
    if (form !== undefined)
      list.add(`?${form}`, 1.5, 'url_query_part', 'signed in the URL, sent in the body');
    return list.list;
  }
  if (query === '?') return list.add('', 1, 'url_trailing_question_mark', 'sent with ?, signed without').list;
  list.add('', 0.5, 'url_no_query', `without ${query}`);
  const withoutAll = { code: 'url_no_query', detail: `without ${query.slice(1)}` } as const;
  // Code that appends a parameter to an empty query leaves its question mark.
  const isAdded = query.startsWith('?&');
  list.addNoted('?', 2, isAdded ? [{ code: 'url_trailing_question_mark' }, withoutAll] : [withoutAll]);
  for (const { text, cost, detail } of listWritings(query))
    if (percentDecoded(text) !== percentDecoded(query))
      list.add(text, cost, hasSameParts(text, query) ? 'url_query_order' : 'url_query_part', detail);
  addMeanings(list, query);
  addParts(list, query);
  if (/[A-Z]/.test(query.replace(/%../g, '')))
    list.add(query.toLowerCase(), 3, 'base_value_case', 'the query in lower case');
  list.add(query.slice(1), 2, 'url_query_part', 'without the question mark');
  return list.list;
}

function hasSameParts(text: string, query: string): boolean {
  const partsOf = (one: string): string => one.slice(1).split('&').toSorted(byText).join('&');
  return partsOf(text) === partsOf(query);
}

/** Lists other encodings of the query, whatever its parameters are. */
export function queryEncodings({ query }: UrlParts): readonly Alternative<TextChange>[] {
  const list = new Alternatives(query);
  return percentVariations('query').flatMap(({ detail, cost, apply }) => {
    const before = list.list.length;
    list.add(apply(query), cost, 'url_query_encoding', detail);
    if (list.list.length === before) return [];
    return [alternative('url_query_encoding', detail, cost, (text: string) => apply(text) ?? text)];
  });
}

/** Lists the encodings that no usual encoder produces: too many to combine with other mistakes. */
export function rareQueryEncodings({ query }: UrlParts): readonly Alternative<TextChange>[] {
  return [...everyQueryForm(query), ...encodedUnreserved(query)].map(({ detail, cost, apply }) =>
    alternative('url_query_encoding', detail, cost, (text: string) => apply(text) ?? text),
  );
}

/** Lists other orders of the parameters. */
export function queryOrders({ query }: UrlParts): readonly Alternative<TextChange>[] {
  const list = new Alternatives(query);
  return ordersOf(query).flatMap(({ text, change, detail, cost }) => {
    const before = list.list.length;
    list.add(text, cost, 'url_query_order', detail);
    return list.list.length === before ? [] : [alternative('url_query_order', detail, cost, change)];
  });
}

/** Other readings of the query, each of which an encoder may have written in its own way. */
function addMeanings(list: Alternatives<string>, query: string): void {
  const code = 'url_query_encoding';
  list.add(query.replace(/\+/g, '%2B'), 2, code, '+ for itself, not for a space');
  list.add(query.replace(/%25(?=[0-9A-Fa-f]{2})/g, '%'), 2, code, 'decoded once more');
  list.add(query.replace(/&(?=[^=&]+(?:&|$))/g, '%26'), 2.5, code, '& as a part of a value');
  list.add(query.replace(/(?<!%0D)%0A/gi, '%0D%0A'), 2, code, 'CRLF line breaks');
  list.add(query.replace(/%0D%0A/gi, '%0A'), 2, code, 'LF line breaks');
  list.add(
    query.replace(/(?<==)(?:%20|\+)+|(?:%20|\+)+(?=&|$)/g, ''),
    2,
    code,
    'values without spaces around them',
  );
}

/** Writes parameters without a value in both ways, and omits some parameters. */
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
  // Of several, a program may write each as received.
  for (const [index, part] of parts.entries())
    if (/^[^=]+=?$/.test(part))
      list.add(
        join(parts.with(index, part.endsWith('=') ? part.slice(0, -1) : `${part}=`)),
        2,
        'url_query_part',
        part.endsWith('=') ? 'an empty value without =' : 'an empty value with =',
      );
  list.add(
    join(parts.filter((part) => !/^[^=]*=?$/.test(part))),
    3,
    'url_query_part',
    'without empty parameters',
  );
  for (const [detail, cost, write] of valueWritings)
    list.add(
      join(parts.map((part) => part.replace(/=(.*)$/s, (_, value: string) => write(value)))),
      cost,
      'url_query_part',
      detail,
    );
  list.add(query.replace(/&{2,}/g, '&'), 2, 'url_query_part', 'one & in place of two');
  list.add(query.replace('&', '&&'), 3, 'url_query_part', 'two & in place of one');
  list.add(`?&${query.slice(1)}`, 2, 'url_query_part', '& at the start');
  list.add(`%3F${query.slice(1)}`, 2, 'url_query_encoding', 'the question mark encoded');
  list.add(`${query}&`, 2, 'url_query_part', '& at the end');
  list.add(query.replace(/&$/, ''), 2, 'url_query_part', 'no & at the end');
  if (parts.length < 2) return;
  list.add(
    `?${parts[0]!}`,
    1,
    'url_query_part',
    'only the part before the first & was signed, as when a shell cuts an unquoted URL there, or a parameter is added later',
  );
  const unique = parts.filter(
    (part, index) => parts.findLastIndex((other) => nameOf(other) === nameOf(part)) === index,
  );
  list.add(join(unique), 2, 'url_query_part', 'of repeated parameters only the last');
  const first = parts.filter(
    (part, index) => parts.findIndex((other) => nameOf(other) === nameOf(part)) === index,
  );
  list.add(join(first), 2, 'url_query_part', 'of repeated parameters only the first');
  parts.slice(0, 16).forEach((part, index) => {
    const usual = index === parts.length - 1 ? 1.5 : 3;
    list.add(
      join(parts.toSpliced(index, 1)),
      addedLater.test(nameOf(part)) ? 0.5 : usual,
      'url_query_part',
      `without ${part}`,
    );
  });
}

/**
 * Parameters that libraries, proxies and trackers append to a finished URL: against caching, for tracking,
 * for access.
 */
const addedLater =
  /^(?:_|_t|cb|nocache|cache_?buster|utm_\w+|gclid|fbclid|api[-_]?key|access_token|j?sessionid|(?:request|correlation|trace)_?id)$/i;

/** Printouts of parameter values by frameworks and languages. */
const valueWritings: readonly (readonly [detail: string, cost: number, write: (value: string) => string])[] =
  [
    ['names without values', 2, () => ''],
    ['names with [] for lists', 2.5, (value) => `[]=${value}`],
    ['names with %5B%5D for lists', 3, (value) => `%5B%5D=${value}`],
    ['names with [0] for lists', 3, (value) => `[0]=${value}`],
    ['names with %5B0%5D for lists', 3, (value) => `%5B0%5D=${value}`],
    ["values printed as ['…']", 3, (value) => `=['${value}']`],
    ['null for an empty value', 2, (value) => `=${value || 'null'}`],
    ['undefined for an empty value', 2, (value) => `=${value || 'undefined'}`],
    ['None for an empty value', 2, (value) => `=${value || 'None'}`],
  ];

function nameOf(part: string): string {
  return part.split('=', 1)[0]!;
}

interface QueryOrder {
  readonly text: string;
  readonly change: TextChange;
  readonly detail: string;
  readonly cost: number;
}

/** Lists common orders of a query: sorted, reversed, rotated, and all orders if there are few parameters. */
function ordersOf(query: string): readonly QueryOrder[] {
  const parts = query.slice(1).split('&');
  if (parts.length < 2 || parts.length > partsMax) return [];
  const order = (
    sort: (parts: readonly string[]) => readonly string[],
    detail: string,
    cost: number,
  ): QueryOrder => {
    const change = (text: string): string => `?${sort(text.slice(1).split('&')).join('&')}`;
    return { text: change(query), change, detail, cost };
  };
  const rare = parts.length <= 3 ? 2 : 3;
  const by = (key: (part: string) => string) => (some: readonly string[]) =>
    some.toSorted((a, b) => byText(key(a), key(b)));
  const orders = [
    order((some) => some.toSorted(byText), 'sorted', 1),
    order(by(nameOf), 'sorted by name', 1),
    order((some) => some.toReversed(), 'in reverse order', 2),
    order(
      by((part) => part.toLowerCase()),
      'sorted regardless of case',
      2,
    ),
    order((some) => some.toSorted(byText).toReversed(), 'sorted backwards', 3),
    order(
      by((part) => decodedForm(part) ?? part),
      'sorted after decoding',
      3,
    ),
  ];
  for (const { values: indexes, detail } of reorderings(parts.map((_, index) => index)))
    orders.push(
      order(
        (some) => (some.length === indexes.length ? indexes.map((index) => some[index]!) : some),
        detail === 'two swapped' ? 'two of them swapped' : 'in another order',
        detail === 'two swapped' ? 2 : rare,
      ),
    );
  return orders;
}

const partsMax = 64;

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
