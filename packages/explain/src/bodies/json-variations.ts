import {
  type Alternative,
  alternative,
  alternatives,
  exact,
  permutations,
  reorderings,
} from '../drafts/alternatives.ts';
import { type JsonMember, type JsonNode, type JsonWriting } from './json-text.ts';
import {
  cDouble,
  goFloat,
  isInteger,
  javaDouble,
  netDouble,
  plainNumber,
  pythonFloat,
} from './number-texts.ts';

type OrderAlternative = Alternative<JsonWriting['order']>;
type StringAlternative = Alternative<JsonWriting['string']>;
type NumberAlternative = Alternative<JsonWriting['number']>;

/** Keeps everything but the layout as received. */
export const asReceived: Omit<JsonWriting, 'layout'> = {
  order: (members) => members,
  string: ({ raw }) => raw,
  number: (raw) => raw,
};

/** The hashed text shows the order. */
const otherOrder = 'with its keys in another order';

export const orderAlternatives: readonly OrderAlternative[] = alternatives('body_json_key_order', [
  [exact('with its keys sorted'), 1, (members) => members.toSorted(byText)],
  [
    exact('with only its outermost keys sorted'),
    2,
    (members, depth) => (depth === 0 ? members.toSorted(byText) : members),
  ],
  [otherOrder, 2, (members) => members.toReversed()],
  [otherOrder, 3, (members, depth) => (depth === 0 ? members.toReversed() : members)],
  [exact('with its keys sorted backwards'), 3, (members) => members.toSorted(byText).toReversed()],
  [exact('with its keys sorted regardless of case'), 3, (members) => members.toSorted(byLowerCase)],
  // As PostgreSQL and MySQL store them.
  [otherOrder, 2, (members) => members.toSorted((a, b) => byLength(a, b) || byText(a, b))],
  [
    'with the keys that are numbers first, as JavaScript has them',
    1.5,
    (members) => members.toSorted((a, b) => numberOf(a) - numberOf(b)),
  ],
]);

function byText(a: JsonMember, b: JsonMember): number {
  return compare(a.name.value, b.name.value);
}

function byLength(a: JsonMember, b: JsonMember): number {
  return a.name.value.length - b.name.value.length;
}

function numberOf({ name: { value } }: JsonMember): number {
  return /^(?:0|[1-9]\d{0,8})$/.test(value) ? Number(value) : 2 ** 32;
}

function byLowerCase(a: JsonMember, b: JsonMember): number {
  return compare(a.name.value.toLowerCase(), b.name.value.toLowerCase());
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Reorders the outermost members in more ways than the rules above, as a hash map or a person might. */
export function outermostOrders(node: JsonNode): readonly OrderAlternative[] {
  if (node.kind !== 'object' || node.members.length < 2) return [];
  // A sorted order was probably created after hashing.
  const names = node.members.map(({ name }) => name.value);
  const isSorted = names.length > 2 && names.every((name, index) => index === 0 || names[index - 1]! <= name);
  return reorderings(
    node.members.map((_, index) => index),
    isSorted ? sortedPermutedMax : undefined,
  ).map(({ values: indexes, detail }) =>
    alternative(
      'body_json_key_order',
      otherOrder,
      isSorted ? 1 : detail === 'two swapped' ? 2 : 3,
      (members, depth) =>
        depth === 0 && members.length === indexes.length ? indexes.map((index) => members[index]!) : members,
    ),
  );
}

/** Reorders the members of all inner objects that have the same names. Their outer objects stay as they are. */
export function innerOrders(node: JsonNode): readonly OrderAlternative[] {
  const found = new Map<string, readonly string[]>();
  const objects: (readonly JsonMember[])[] = [];
  const visit = (one: JsonNode, depth: number): void => {
    if (found.size >= innerObjectsMax) return;
    if (one.kind === 'array') for (const item of one.items) visit(item, depth + 1);
    if (one.kind !== 'object') return;
    const names = one.members.map(({ name }) => name.value);
    if (depth > 0 && names.length > 1 && names.length <= innerNamesMax)
      found.set(names.toSorted().join('\0'), names);
    if (depth > 0 && names.length > 1) objects.push(one.members);
    for (const { value } of one.members) visit(value, depth + 1);
  };
  visit(node, 0);
  const alike = [...found.values()].flatMap((names) =>
    permutations(names)
      .slice(1)
      .map((order) =>
        alternative<JsonWriting['order']>(
          'body_json_key_order',
          `with the keys of an inner object in the order ${order.join(', ')}`,
          2,
          (members, depth) =>
            depth > 0 && isSameSet(members, names) ? members.toSorted(byPlaceIn(order)) : members,
        ),
      ),
  );
  return [...alike, ...unlikeOrders(objects)];
}

/** Reorders each inner object independently, as a hash map with a random seed does. */
function unlikeOrders(objects: readonly (readonly JsonMember[])[]): readonly OrderAlternative[] {
  if (objects.length < 2) return [];
  let chosen: readonly (readonly (readonly JsonMember[])[])[] = [[]];
  for (const members of objects) {
    const orders = members.length <= innerNamesMax ? permutations(members) : [members];
    if (chosen.length * orders.length > unlikeOrdersMax) return [];
    chosen = chosen.flatMap((before) => orders.map((order) => [...before, order]));
  }
  return chosen.slice(1).map((orders) => {
    const byMembers = new Map(objects.map((members, index) => [members, orders[index]!]));
    return alternative(
      'body_json_key_order',
      otherOrder,
      2.5,
      (members) => byMembers.get(members) ?? members,
    );
  });
}

const unlikeOrdersMax = 64;
const innerObjectsMax = 4;
const innerNamesMax = 4;

function isSameSet(members: readonly JsonMember[], names: readonly string[]): boolean {
  return members.length === names.length && members.every(({ name }) => names.includes(name.value));
}

function byPlaceIn(order: readonly string[]): (a: JsonMember, b: JsonMember) => number {
  return (a, b) => order.indexOf(a.name.value) - order.indexOf(b.name.value);
}

/** At most 720 orders. */
const sortedPermutedMax = 6;

function escaped(value: string, pattern: RegExp, isUpper: boolean): string {
  return JSON.stringify(value).replace(pattern, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${isUpper ? hex.toUpperCase() : hex}`;
  });
}

const outsideAscii = /[\x7f-\uffff]/g;

export const stringAlternatives: readonly StringAlternative[] = alternatives('body_json_escapes', [
  ['with no more escapes than needed', 1, ({ value }) => JSON.stringify(value)],
  ['with all but ASCII escaped as \\u', 1, ({ value }) => escaped(value, outsideAscii, false)],
  [
    'with slashes escaped as \\/ and all but ASCII as \\u',
    1,
    ({ value }) => escaped(value, outsideAscii, false).replace(/\//g, '\\/'),
  ],
  ['with slashes escaped as \\/', 1, ({ value }) => JSON.stringify(value).replace(/\//g, '\\/')],
  ['with all but ASCII escaped as \\u in upper case', 2, ({ value }) => escaped(value, outsideAscii, true)],
  ['with <, > and & escaped as \\u', 2, ({ value }) => escaped(value, /[<>&\u2028\u2029]/g, false)],
  ['with <, >, & and = escaped as \\u', 3, ({ value }) => escaped(value, /[<>&='\u2028\u2029]/g, false)],
  [
    'with the escapes of System.Text.Json',
    2,
    ({ value }) => escaped(value, /[\x7f-\uffff<>&'+`]/g, true).replace(/\\"/g, '\\u0022'),
  ],
  [
    'with slashes escaped as \\/ and all but ASCII as \\u in upper case',
    3,
    ({ value }) => escaped(value, outsideAscii, true).replace(/\//g, '\\/'),
  ],
  ['with </ escaped as <\\/', 3, ({ value }) => JSON.stringify(value).replace(/<\//g, '<\\/')],
  [
    'with <, >, & and all but ASCII escaped as \\u',
    3,
    ({ value }) => escaped(value, /[<>&\x7f-\uffff]/g, false),
  ],
]);

function javaScript(raw: string): string {
  return Number.isFinite(Number(raw)) ? String(Number(raw)) : raw;
}

/** Ways to write numbers, depending on a language's number types. */
export const numberAlternatives: readonly NumberAlternative[] = alternatives('body_json_numbers', [
  ['with its numbers as JavaScript writes them', 1, javaScript],
  [
    'with its fractions and exponents as JavaScript writes them',
    1.5,
    (raw) => (isInteger(raw) ? raw : javaScript(raw)),
  ],
  ['with its exponents without + and zeros', 1.5, (raw) => raw.replace(/(e)(?:\+|(-))?0*(?=\d)/i, '$1$2')],
  ['with its numbers as Java writes doubles', 1.5, (raw) => javaDouble(raw)],
  ['with its fractions as Java writes doubles', 1.5, (raw) => (isInteger(raw) ? raw : javaDouble(raw))],
  ['with its fractions as Python writes floats', 1.5, (raw) => (isInteger(raw) ? raw : pythonFloat(raw))],
  ['with its numbers as Go writes floats', 2, (raw) => goFloat(raw, 21)],
  ['with its fractions as .NET writes doubles', 2, (raw) => (isInteger(raw) ? raw : netDouble(raw))],
  ['with its numbers as Perl writes them', 2, (raw) => cDouble(raw, 15).replace(/^-0$/, '0')],
  ['with its numbers as C writes doubles with 17 digits', 2, (raw) => cDouble(raw, 17)],
  ['with its numbers without exponents', 2, plainNumber],
  ['with its fractions without exponents', 2.5, (raw) => (isInteger(raw) ? raw : plainNumber(raw))],
  ['with -0.0 as 0', 2, (raw) => (/^-0(?:\.0+)?$/.test(raw) ? '0' : raw)],
  ['with -0 as -0.0', 2, (raw) => (/^-?0$/.test(raw) ? '-0.0' : raw)],
  ['with two digits in its exponents', 2, (raw) => raw.replace(/(e[+-]?)(\d)$/i, '$10$2')],
  ['with a capital E in its exponents', 2, (raw) => raw.toUpperCase()],
  ['with E+ in its exponents', 2, (raw) => raw.replace(/e\+?(?=\d)/i, 'E+')],
  ['with e+ in its exponents', 2, (raw) => raw.replace(/e\+?(?=\d)/i, 'e+')],
  ['with .0 before its exponents', 2, (raw) => raw.replace(/^(-?\d)(e)/i, '$1.0$2')],
  ['with .0 after its integers', 2, (raw) => (/^-?\d+$/.test(raw) ? `${raw}.0` : raw)],
  [
    'with two decimals in its numbers',
    2,
    (raw) => (/^-?\d{1,15}(?:\.\d{1,2})?$/.test(raw) ? Number(raw).toFixed(2) : raw),
  ],
  [
    'without the zeros at the end of its fractions',
    2,
    (raw) => (/\.\d*$/.test(raw) ? raw.replace(/(\.\d*?[1-9])?0+$/, '$1').replace(/\.0*$/, '') : raw),
  ],
  ['with one digit at least in its fractions', 3, (raw) => raw.replace(/(\.\d)0+$/, '$1')],
  ['with two digits in its fractions', 3, (raw) => (/\.\d$/.test(raw) ? `${raw}0` : raw)],
  ['with its numbers in quotes', 2, (raw) => `"${raw}"`],
  ['with .00 after its integers', 3, (raw) => (/^-?\d+$/.test(raw) ? `${raw}.00` : raw)],
  [
    'with its fractions cut to integers',
    3,
    (raw) => (/\./.test(raw) ? String(Math.trunc(Number(raw))) : raw),
  ],
  [
    'with exponents in its integers',
    3,
    (raw) => (/^-?\d+$/.test(raw) ? Number(raw).toExponential().replace('e+', 'e') : raw),
  ],
]);
