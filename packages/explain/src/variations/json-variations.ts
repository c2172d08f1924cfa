import { Alternatives, type Alternative } from '../search/enumeration.ts';
import type { FindingCode } from '../findings/findings.ts';
import {
  type JsonLayout,
  type JsonMember,
  type JsonNode,
  type JsonString,
  type JsonWriting,
  writeJsonText,
} from './json-text.ts';

/** The layouts that libraries write, the most frequent first. */
const jsonLayouts: readonly JsonLayout[] = [
  { name: 'in one line without spaces', comma: ',', colon: ':' },
  { name: "in one line with spaces, as Python's json.dumps", comma: ', ', colon: ': ' },
  { name: 'indented by 2 spaces', indent: '  ', comma: ',', colon: ': ' },
  { name: 'indented by 4 spaces', indent: '    ', comma: ',', colon: ': ' },
  { name: 'indented by tabs', indent: '\t', comma: ',', colon: ': ' },
  {
    name: 'as Jackson indents',
    indent: '  ',
    comma: ',',
    colon: ' : ',
    hasInlineArrays: true,
    padding: ' ',
    inEmpty: ' ',
  },
  { name: 'with spaces after colons only', comma: ',', colon: ': ' },
  { name: 'with spaces after commas only', comma: ', ', colon: ':' },
  { name: 'indented by 1 space', indent: ' ', comma: ',', colon: ': ' },
  { name: 'indented by 3 spaces', indent: '   ', comma: ',', colon: ': ' },
  { name: 'indented by 8 spaces', indent: '        ', comma: ',', colon: ': ' },
  { name: 'in lines without indentation', indent: '', comma: ',', colon: ': ' },
  { name: 'in lines without indentation and spaces', indent: '', comma: ',', colon: ':' },
  { name: 'indented by 2 spaces, without spaces after colons', indent: '  ', comma: ',', colon: ':' },
  { name: 'indented by 2 spaces, with spaces after commas', indent: '  ', comma: ', ', colon: ': ' },
  { name: 'indented by 4 spaces, with spaces after commas', indent: '    ', comma: ', ', colon: ': ' },
  { name: 'indented by 4 spaces, with spaces around colons', indent: '    ', comma: ',', colon: ' : ' },
  { name: 'indented by 2 spaces, with spaces around colons', indent: '  ', comma: ',', colon: ' : ' },
  { name: 'in one line, with spaces around colons', comma: ', ', colon: ' : ' },
  { name: 'in one line, with spaces in braces', comma: ', ', colon: ': ', padding: ' ' },
];

/** What stands in the braces is as it came. */
export const asReceived: Omit<JsonWriting, 'layout'> = {
  order: (members) => members,
  string: ({ raw }) => raw,
  number: (raw) => raw,
};

/** The layout in which a text is written; undefined when it is none of the table. */
export function layoutOf(text: string, node: JsonNode): JsonLayout | undefined {
  return jsonLayouts.find((layout) => writeJsonText(node, { ...asReceived, layout }) === text);
}

/** The other layouts. Those in one line differ from each other in separators, the rest in white space. */
export function layoutAlternatives(
  usual: JsonLayout | undefined,
): readonly Alternative<JsonLayout | undefined>[] {
  const list = new Alternatives<JsonLayout | undefined>(usual);
  jsonLayouts.forEach((layout, index) => {
    const isInLine = layout.indent === undefined && (usual === undefined || usual.indent === undefined);
    const hasSpaces = layout.comma === ', ' || usual?.comma === ', ';
    const code: FindingCode = isInLine && hasSpaces ? 'body_json_separators' : 'body_json_whitespace';
    list.add(layout, index < 4 ? 1 : index < 8 ? 2 : 3, code, `signed ${layout.name}`);
  });
  return list.list;
}

function byText(a: JsonMember, b: JsonMember): number {
  return a.name.value < b.name.value ? -1 : a.name.value > b.name.value ? 1 : 0;
}

function order(detail: string, cost: number, value: JsonWriting['order']): Alternative<JsonWriting['order']> {
  return { value, cost, notes: [{ code: 'body_json_key_order', detail }] };
}

/** Orders of members. */
export const orderAlternatives: readonly Alternative<JsonWriting['order']>[] = [
  order('sorted', 1, (members) => members.toSorted(byText)),
  order('only the outermost sorted', 2, (members, depth) =>
    depth === 0 ? members.toSorted(byText) : members,
  ),
  order('reversed', 2, (members) => members.toReversed()),
  order('only the outermost reversed', 3, (members, depth) => (depth === 0 ? members.toReversed() : members)),
  order('sorted backwards', 3, (members) => members.toSorted(byText).toReversed()),
  order('sorted without regard to case', 3, (members) =>
    members.toSorted((a, b) => {
      const [left, right] = [a.name.value.toLowerCase(), b.name.value.toLowerCase()];
      return left < right ? -1 : left > right ? 1 : 0;
    }),
  ),
  order('sorted by length', 4, (members) =>
    members.toSorted((a, b) => a.name.value.length - b.name.value.length),
  ),
];

/** A member less: what was added after hashing. */
export function fewerMembers(node: JsonNode): readonly Alternative<JsonWriting['order']>[] {
  if (node.kind !== 'object') return [];
  const { length } = node.members;
  return node.members.slice(0, membersMax).map(({ name }, index) => ({
    value: (members, depth) => (depth === 0 ? members.filter((_, at) => at !== index) : members),
    cost: index === length - 1 ? 1 : 2,
    notes: [{ code: 'body_other', detail: `${name.raw} was not in the body that was hashed` }],
  }));
}

const membersMax = 16;

/** Orders of few outermost members: none of the rules above, but what a hash map or a hand makes. */
export function outermostOrders(node: JsonNode): readonly Alternative<JsonWriting['order']>[] {
  if (node.kind !== 'object' || node.members.length < 2) return [];
  const { members } = node;
  const orders: Alternative<JsonWriting['order']>[] = [];
  const put = (indexes: readonly number[], detail: string, cost: number): void => {
    orders.push(
      order(detail, cost, (some, depth) => (depth === 0 ? indexes.map((index) => some[index]!) : some)),
    );
  };
  const indexes = members.map((_, index) => index);
  for (let by = 1; by < Math.min(members.length, 9); by++)
    put([...indexes.slice(by), ...indexes.slice(0, by)], 'rotated', 3);
  for (let index = 0; index + 1 < Math.min(members.length, 9); index++)
    put(indexes.toSpliced(index, 2, index + 1, index), 'two swapped', 2);
  if (members.length <= permutedMembersMax)
    for (const permuted of orderings(indexes)) put(permuted, 'in another order', 3);
  return orders;
}

/** 120 orders. */
const permutedMembersMax = 5;

function orderings(indexes: readonly number[]): readonly (readonly number[])[] {
  if (indexes.length <= 1) return [indexes];
  return indexes.flatMap((first, at) => orderings(indexes.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

function escaped(value: string, pattern: RegExp, isUpper: boolean): string {
  return JSON.stringify(value).replace(pattern, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${isUpper ? hex.toUpperCase() : hex}`;
  });
}

const outsideAscii = /[\x7f-\uffff]/g;

function escapes(
  detail: string,
  cost: number,
  value: (string: JsonString) => string,
): Alternative<JsonWriting['string']> {
  return { value, cost, notes: [{ code: 'body_json_escapes', detail }] };
}

/** Ways to escape strings. */
export const stringAlternatives: readonly Alternative<JsonWriting['string']>[] = [
  escapes('no more escapes than needed', 1, ({ value }) => JSON.stringify(value)),
  escapes('all but ASCII as \\u', 1, ({ value }) => escaped(value, outsideAscii, false)),
  escapes('all but ASCII as \\u, slashes as \\/', 1, ({ value }) =>
    escaped(value, outsideAscii, false).replace(/\//g, '\\/'),
  ),
  escapes('slashes as \\/', 1, ({ value }) => JSON.stringify(value).replace(/\//g, '\\/')),
  escapes('all but ASCII as \\u in upper case', 2, ({ value }) => escaped(value, outsideAscii, true)),
  escapes('<, > and & as \\u', 2, ({ value }) => escaped(value, /[<>&\u2028\u2029]/g, false)),
  escapes('<, >, & and = as \\u', 3, ({ value }) => escaped(value, /[<>&='\u2028\u2029]/g, false)),
  escapes('as System.Text.Json', 2, ({ value }) =>
    escaped(value, /[\x7f-\uffff<>&'+`]/g, true).replace(/\\"/g, '\\u0022'),
  ),
  escapes('<, > and & as \\u, all but ASCII too', 3, ({ value }) =>
    escaped(value, /[<>&\x7f-\uffff]/g, false),
  ),
];

function numbers(
  detail: string,
  cost: number,
  value: (raw: string) => string,
): Alternative<JsonWriting['number']> {
  return { value, cost, notes: [{ code: 'body_json_numbers', detail }] };
}

/** Ways to write numbers, as languages with one kind of number or with two change them. */
export const numberAlternatives: readonly Alternative<JsonWriting['number']>[] = [
  numbers('as JavaScript writes them', 1, (raw) =>
    Number.isFinite(Number(raw)) ? String(Number(raw)) : raw,
  ),
  numbers('integers with .0', 2, (raw) => (/^-?\d+$/.test(raw) ? `${raw}.0` : raw)),
  numbers('with two decimals', 2, (raw) =>
    /^-?\d{1,15}(?:\.\d{1,2})?$/.test(raw) ? Number(raw).toFixed(2) : raw,
  ),
  numbers('fractions without zeros at their end', 2, (raw) =>
    /\.\d*$/.test(raw) ? raw.replace(/(\.\d*?[1-9])?0+$/, '$1').replace(/\.0*$/, '') : raw,
  ),
  numbers('fractions with one digit at least', 3, (raw) => raw.replace(/(\.\d)0+$/, '$1')),
  numbers('decimals only with two digits', 3, (raw) => (/\.\d$/.test(raw) ? `${raw}0` : raw)),
  numbers('in quotes', 2, (raw) => `"${raw}"`),
];
