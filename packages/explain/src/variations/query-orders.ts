/** A query with its parameters in another order. */
export interface QueryOrder {
  readonly text: string;
  readonly detail: string;
  readonly cost: number;
}

/** The orders in which a query is met: sorted, reversed, rotated, and all of them when there are few parameters. */
export function queryOrders(query: string): readonly QueryOrder[] {
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
      parts.toSorted((a, b) => byText(decoded(a), decoded(b))),
      'sorted after decoding',
      3,
    ),
  ];
  for (let by = 1; by < Math.min(parts.length, rotationsMax); by++)
    orders.push(order([...parts.slice(by), ...parts.slice(0, by)], 'rotated', rare));
  for (let index = 0; index + 1 < Math.min(parts.length, swapsMax); index++)
    orders.push(order(parts.toSpliced(index, 2, parts[index + 1]!, parts[index]!), 'two swapped', 2));
  if (parts.length <= permutedMax)
    for (const permuted of permutations(parts)) orders.push(order(permuted, 'in another order', rare));
  return orders;
}

/** All orders of a few things; the given one is the first. */
export function permutations<Value>(values: readonly Value[]): readonly (readonly Value[])[] {
  if (values.length <= 1) return [values];
  return values.flatMap((value, index) =>
    permutations(values.toSpliced(index, 1)).map((rest) => [value, ...rest]),
  );
}

const partsMax = 64;
const rotationsMax = 9;
const swapsMax = 9;
/** 120 orders. */
const permutedMax = 5;

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text;
  }
}
