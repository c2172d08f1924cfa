import { type Alternative, Alternatives, reorderings } from '../drafts/alternatives.ts';
import { decodedForm, type UrlParts } from '../reading/url-parts.ts';
import { percentVariations } from './percent-variations.ts';

/** Lists what may replace the query. */
export function queries({ query }: UrlParts): readonly Alternative<string>[] {
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

/** Writes parameters without value in both ways, and leaves some parameters out. */
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

interface QueryOrder {
  readonly text: string;
  readonly detail: string;
  readonly cost: number;
}

/** Lists common orders of a query: sorted, reversed, rotated, and with few parameters all of them. */
function queryOrders(query: string): readonly QueryOrder[] {
  const parts = query.slice(1).split('&');
  if (parts.length < 2 || parts.length > partsMax) return [];
  const order = (sorted: readonly string[], detail: string, cost: number): QueryOrder => ({
    text: `?${sorted.join('&')}`,
    detail,
    cost,
  });
  const name = (part: string): string => part.split('=', 1)[0]!;
  const rare = parts.length <= 3 ? 2 : 3;
  const orders = [
    order(parts.toSorted(byText), 'sorted', 1),
    order(
      parts.toSorted((a, b) => byText(name(a), name(b))),
      'sorted by name',
      1,
    ),
    order(parts.toReversed(), 'reversed', 2),
    order(
      parts.toSorted((a, b) => byText(a.toLowerCase(), b.toLowerCase())),
      'sorted without regard to case',
      2,
    ),
    order(parts.toSorted(byText).toReversed(), 'sorted backwards', 3),
    order(
      parts.toSorted((a, b) => byText(decodedForm(a) ?? a, decodedForm(b) ?? b)),
      'sorted after decoding',
      3,
    ),
  ];
  for (const { values, detail } of reorderings(parts))
    orders.push(order(values, detail, detail === 'two swapped' ? 2 : rare));
  return orders;
}

const partsMax = 64;

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
