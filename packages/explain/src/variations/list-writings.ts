/** A way to write a list in a query. */
export interface ListWriting {
  readonly text: string;
  readonly cost: number;
  readonly detail: string;
}

/**
 * Writes the lists of a query as other libraries do: as a repeated parameter, with brackets or indices, or
 * joined. If nothing looks like a list, one of the parameters may have been a list of one.
 */
export function listWritings(query: string): readonly ListWriting[] {
  const parts = query.slice(1).split('&');
  if (parts.length > partsMax) return [];
  const lists = readLists(parts);
  if ([...lists.values()].some(({ isList }) => isList)) return writings.map((one) => write(lists, one));
  return parts.slice(0, lonePartsMax).flatMap((part, index) =>
    part.includes('=')
      ? loneBrackets.map((marks) => ({
          text: `?${parts.with(index, part.replace('=', `${marks}=`)).join('&')}`,
          cost: 3,
          detail: `${marks} after ${part.split('=', 1)[0]}`,
        }))
      : [],
  );
}

const lonePartsMax = 8;
const loneBrackets = ['[]', '%5B%5D', '[0]'];

interface ParameterList {
  readonly values: readonly string[];
  readonly isList: boolean;
}

const brackets = /(?:\[\d{0,3}\]|%5B\d{0,3}%5D)$/i;
const comma = /,|%2C/i;

/** Reads the values of each name, in the order of the names' first appearance. */
function readLists(parts: readonly string[]): ReadonlyMap<string, ParameterList> {
  const lists = new Map<string, ParameterList>();
  for (const part of parts) {
    const equals = part.indexOf('=');
    const whole = equals < 0 ? part : part.slice(0, equals);
    const name = whole.replace(brackets, '');
    const before = lists.get(name);
    const values = equals < 0 ? [undefined] : part.slice(equals + 1).split(comma);
    lists.set(name, {
      values: [...(before?.values ?? []), ...values.filter((value) => value !== undefined)],
      isList: before !== undefined || whole !== name || values.length > 1,
    });
  }
  return lists;
}

type Writing = readonly [
  detail: string,
  cost: number,
  write: (name: string, values: readonly string[]) => string,
];

const repeated =
  (nameOf: (name: string, index: number) => string): Writing[2] =>
  (name, values) =>
    values.map((value, index) => `${nameOf(name, index)}=${value}`).join('&');

const writings: readonly Writing[] = [
  ['lists as repeated names', 1, repeated((name) => name)],
  ['lists joined by commas', 1, (name, values) => `${name}=${values.join(',')}`],
  ['lists joined by %2C', 1, (name, values) => `${name}=${values.join('%2C')}`],
  ['lists with []', 1, repeated((name) => `${name}[]`)],
  ['lists with %5B%5D', 1, repeated((name) => `${name}%5B%5D`)],
  ['lists with [0]', 1.5, repeated((name, index) => `${name}[${index}]`)],
  ['lists with %5B0%5D', 1.5, repeated((name, index) => `${name}%5B${index}%5D`)],
  ['lists joined by %2c', 2, (name, values) => `${name}=${values.join('%2c')}`],
  ['lists joined by spaces', 3, (name, values) => `${name}=${values.join('%20')}`],
  ['lists joined by |', 3, (name, values) => `${name}=${values.join('|')}`],
];

function write(lists: ReadonlyMap<string, ParameterList>, [detail, cost, writeList]: Writing): ListWriting {
  const parts = [...lists].map(([name, { values, isList }]) =>
    isList ? writeList(name, values) : [name, ...values].join('='),
  );
  return { text: `?${parts.join('&')}`, cost, detail };
}

const partsMax = 64;
