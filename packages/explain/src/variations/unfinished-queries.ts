import { type Alternative, Alternatives } from '../drafts/alternatives.ts';
import type { Words } from '../findings/finding.ts';
import type { UrlParts } from '../reading/url-parts.ts';
import { nothings, placeholdersFor, wordsOfExpansion, wordsOfPlaceholder } from './unset-values.ts';
import { withoutShellNames } from './shell-expansion.ts';

/**
 * Lists queries whose values a program printed, left unset or expanded: too many to combine with other
 * mistakes. A part is a name and its value.
 */
export function unfinishedQueries({ query }: UrlParts): readonly Alternative<string>[] {
  const list = new Alternatives(query);
  const parts = query.length > 1 ? query.slice(1).split('&') : [];
  for (const text of nothings) list.add(`?${text}`, 3, 'url_query_part', wholeQuery(text));
  if (parts.length === 0 || parts.length > partsMax) return list.list;
  for (const text of nothings)
    list.add(`${query}&${text}`, 3, 'url_query_part', `${text} as the last parameter`);
  addShellExpansions(list, query);
  addMixedSpaces(list, query);
  list.add(query.replaceAll('&amp;', '&'), 3, 'url_query_encoding', '& in place of &amp;');
  addWritings(list, parts);
  addPrintedLists(list, parts);
  addUnset(list, parts);
  return list.list;
}

const partsMax = 32;

function wholeQuery(text: string): string {
  return `the text ${text} in place of the parameters`;
}

function join(parts: readonly string[]): string {
  return `?${parts.join('&')}`;
}

function addShellExpansions(list: Alternatives<string>, query: string): void {
  for (const { text, names } of withoutShellNames(query))
    list.add(text, 3, 'url_query_part', wordsOfExpansion(query, text, names));
}

/** Each space either as + or as %20, as if two encoders had each written a part of the query. */
function addMixedSpaces(list: Alternatives<string>, query: string): void {
  const spaces = [...query.matchAll(/\+|%20/g)];
  if (spaces.length < 2 || spaces.length > spacesMax) return;
  for (let bits = 0; bits < 2 ** spaces.length; bits++) {
    let index = 0;
    const text = query.replace(/\+|%20/g, () => ((bits >> index++) & 1 ? '+' : '%20'));
    list.add(text, 3, 'url_query_encoding', 'some spaces as +, others as %20');
  }
}

/** At most 64 forms. */
const spacesMax = 6;

/** The booleans of different languages, for one parameter and for all. */
const booleans: readonly (readonly [isTrue: string, isFalse: string])[] = [
  ['true', 'false'],
  ['True', 'False'],
  ['TRUE', 'FALSE'],
  ['1', '0'],
  ['yes', 'no'],
  ['on', 'off'],
  ['t', 'f'],
  ['1', ''],
];

function addWritings(list: Alternatives<string>, parts: readonly string[]): void {
  for (const [isTrue, isFalse] of booleans) {
    const rewritten = (part: string): string =>
      part.replace(/=(?:true|yes|on)$/i, `=${isTrue}`).replace(/=(?:false|no|off)$/i, `=${isFalse}`);
    const detail = `booleans as ${isTrue} and ${isFalse || 'nothing'}`;
    list.add(join(parts.map(rewritten)), 3, 'url_query_part', detail);
    for (const [index, part] of parts.entries())
      list.add(join(parts.with(index, rewritten(part))), 3, 'url_query_part', detail);
  }
}

/** Printouts of a list in different languages, before and after encoding. */
const listPrints: readonly (readonly [open: string, quote: string, comma: string, close: string])[] = [
  ['[', "'", ', ', ']'],
  ['[', "'", ',', ']'],
  ['[', '"', ',', ']'],
  ['[', '"', ', ', ']'],
  ['[', '', ', ', ']'],
  ['[', '', ',', ']'],
  ['[', '', ' ', ']'],
  ['(', "'", ', ', ')'],
  ['{', '', ', ', '}'],
  ['{', '', ',', '}'],
  ['', '', ', ', ''],
];

const printsOfOne = listPrints.filter(([open, , between]) => open === '[' && between === ',');

/** Texts that languages print instead of a list. */
const listNames = [
  'Array',
  'System.String[]',
  'System.Object[]',
  'System.Collections.Generic.List`1[System.String]',
];

type Encode = (text: string) => string;

const encodings: readonly Encode[] = [
  (text) => text,
  (text) => text.replaceAll(' ', '+'),
  (text) => text.replaceAll(' ', '%20'),
  (text) => encodeURIComponent(text.toWellFormed()),
  (text) => encodeURI(text.toWellFormed()),
  (text) => new URLSearchParams([[text, '']]).toString().slice(0, -1),
  (text) => encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27'),
  (text) => encodeURI(text.toWellFormed()).replaceAll("'", '%27'),
];

/** Prints the values of each name as a list: of repeated names, of one value with commas, or of a single value. */
function addPrintedLists(list: Alternatives<string>, parts: readonly string[]): void {
  const byName = Map.groupBy(parts, (part) => part.split('=', 1)[0]!.replace(brackets, ''));
  for (const [name, own] of [...byName].slice(0, listedMax)) {
    const values = own.flatMap((part) =>
      part.includes('=') ? part.slice(part.indexOf('=') + 1).split(comma) : [],
    );
    if (values.length === 0) continue;
    const first = parts.indexOf(own[0]!);
    const put = (text: string, detail: string): unknown =>
      list.add(
        join(
          parts.flatMap((part, index) =>
            index === first ? `${name}=${text}` : own.includes(part) ? [] : part,
          ),
        ),
        3,
        'url_query_part',
        detail,
      );
    const isList = values.length > 1;
    for (const [open, quote, between, close] of isList ? listPrints : printsOfOne) {
      const printed = `${open}${values.map((value) => quote + value + quote).join(between)}${close}`;
      for (const encode of encodings) put(encode(printed), `${name} printed as a list`);
    }
    for (const text of isList ? listNames : [])
      for (const written of [text, encodeURIComponent(text)]) put(written, `${name} printed as ${text}`);
  }
}

const listedMax = 4;
const brackets = /(?:\[\d{0,3}\]|%5B\d{0,3}%5D)$/i;
const comma = /,|%2C/i;

/** Values that were not yet set when the URL was signed. */
function addUnset(list: Alternatives<string>, parts: readonly string[]): void {
  for (const [index, part] of parts.slice(0, unsetMax).entries()) {
    const equals = part.indexOf('=');
    if (equals < 0) continue;
    const name = part.slice(0, equals);
    const value = part.slice(equals + 1);
    const put = (text: string, words: string | Words): unknown =>
      list.add(join(parts.with(index, `${name}=${text}`)), 3, 'url_query_part', words);
    put('', `no value for ${name}`);
    for (const text of nothings) put(text, `${text} as the value of ${name}`);
    for (const text of placeholdersFor(name)) put(text, wordsOfPlaceholder(text, value));
  }
}

const unsetMax = 8;
