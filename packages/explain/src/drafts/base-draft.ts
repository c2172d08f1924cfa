import type { HashFunction } from '../explanation.ts';
import { splitUrl } from '../reading/url-parts.ts';

/** A component, with its parameters such as `signature-agent;key="a"`, or a line of another kind of signing string. */
export type LineName = string;

/** The lines of a base and their order, and whether it follows the old drafts' signing strings. */
export interface BaseStructure {
  readonly lines: readonly LineName[];
  readonly isCavage: boolean;
}

/**
 * A text that the caller may have signed, in independent parts. Function fields write a part of it. Each
 * variation replaces one field.
 */
export interface BaseDraft {
  method: string;
  /** With `://`. */
  scheme: string;
  authority: string;
  /** Replaces scheme and authority: base URLs may differ in both, and in a prefix of the path. */
  origin: string | undefined;
  path: string;
  pathSlashes: TextChange | undefined;
  pathEncoding: TextChange | undefined;
  /** With its question mark; empty without a query. */
  query: string;
  queryOrder: TextChange | undefined;
  queryEncoding: TextChange | undefined;
  fragment: string;
  targetUri: UrlForm;
  contentDigest: string;
  date: string;
  /** Writes another value of a component that has no field here; undefined for those that stay as they are. */
  otherValue: ((name: LineName, value: string) => string | undefined) | undefined;
  /** The value of the old Digest header, for the old drafts' lines. */
  oldDigest: string;
  signatureParams: string;
  /** Writes another time into the parameters. */
  created: TextChange | undefined;
  /** Writes another keyid or alg into the parameters. */
  otherParameter: TextChange | undefined;
  /** The text that was printed instead of a line's value. */
  methodPrint: ValuePrint | undefined;
  targetPrint: ValuePrint | undefined;
  digestPrint: ValuePrint | undefined;
  datePrint: ValuePrint | undefined;
  paramsPrint: ValuePrint | undefined;
  /** Replaces the whole base. */
  otherText: OtherText | undefined;
  /** Replaces the last line's name and separator. */
  paramsPrefix: string | undefined;
  structure: BaseStructure;
  writeName: (name: LineName) => string;
  separator: (lineIndex: number, name: LineName) => string;
  /** Writes name and separator, instead of those two fields. */
  lineStart: ((name: LineName) => string) | undefined;
  /** Changes each line, before the lines are joined. */
  lineText: ((line: string, lineIndex: number) => string) | undefined;
  /** The text after the line with this index; not called for the last line. */
  lineEnd: (lineIndex: number, lineCount: number) => string;
  ending: string;
  beginning: string;
  /** Changes the whole text. */
  rewrite: ((text: string) => string) | undefined;
  charset: Charset;
  /** The signer's operation on the bytes before padding. Undefined: hashed them with `hash`. */
  finish: Finish | undefined;
}

export type TextChange = (text: string) => string;

/** Another form of a line's value. */
export interface ValuePrint {
  readonly write: TextChange;
  /** True if the value itself no longer shows. */
  readonly isConstant?: boolean;
}

/** A text instead of the base. */
export interface OtherText {
  readonly write: (draft: BaseDraft) => string;
  readonly shows: readonly (UrlPart | 'method' | 'date' | 'signatureParams')[];
  readonly holdsBody?: boolean;
}

/** The parts of a URL that a base shows. */
export type UrlPart = 'scheme' | 'authority' | 'path' | 'query' | 'fragment';

/** Writes the URL's line. */
export interface UrlForm {
  readonly write: (draft: BaseDraft) => string;
  readonly parts: readonly UrlPart[];
}

export type Charset =
  | 'utf-8'
  /** Encodes headers with non-ASCII octets, each of which is one character here. */
  | 'latin-1'
  | 'utf-16le'
  | 'utf-16le-bom'
  | 'utf-16be'
  | 'utf-16be-bom'
  | 'utf-8-bom'
  | 'utf-32le';

/** An alternative to hashing the base once: hash it with `inner` first. */
export type Finish = (bytes: Uint8Array, hash: HashFunction, inner: HashFunction) => Uint8Array;

/** Values of lines that are not part of a draft: other headers and derived components. */
export type OtherValues = ReadonlyMap<LineName, string>;

type UsualForm = Pick<
  BaseDraft,
  | 'origin'
  | 'pathSlashes'
  | 'pathEncoding'
  | 'queryOrder'
  | 'queryEncoding'
  | 'created'
  | 'otherParameter'
  | 'methodPrint'
  | 'targetPrint'
  | 'digestPrint'
  | 'datePrint'
  | 'paramsPrint'
  | 'otherText'
  | 'otherValue'
  | 'paramsPrefix'
  | 'writeName'
  | 'separator'
  | 'lineStart'
  | 'lineText'
  | 'lineEnd'
  | 'ending'
  | 'beginning'
  | 'rewrite'
  | 'charset'
  | 'finish'
>;

export const usualForm: UsualForm = {
  origin: undefined,
  pathSlashes: undefined,
  pathEncoding: undefined,
  queryOrder: undefined,
  queryEncoding: undefined,
  created: undefined,
  otherParameter: undefined,
  methodPrint: undefined,
  targetPrint: undefined,
  digestPrint: undefined,
  datePrint: undefined,
  paramsPrint: undefined,
  otherText: undefined,
  otherValue: undefined,
  paramsPrefix: undefined,
  writeName: quotedName,
  separator: (): string => ': ',
  lineStart: undefined,
  lineText: undefined,
  lineEnd: (): string => '\n',
  ending: '',
  beginning: '',
  rewrite: undefined,
  charset: 'utf-8',
  finish: undefined,
};

/** Writes a component's name in quotes, and its parameters after them. */
export function quotedName(name: LineName): string {
  const end = name.indexOf(';');
  return end < 0 ? `"${name}"` : `"${name.slice(0, end)}"${name.slice(end)}`;
}

const urlParts: readonly UrlPart[] = ['scheme', 'authority', 'path', 'query', 'fragment'];

/** The URL unchanged. */
export const usualUrl: UrlForm = { write: wholeUrl, parts: urlParts };

export function wholeUrl(draft: BaseDraft): string {
  return originText(draft) + pathText(draft) + queryText(draft) + draft.fragment;
}

/** Scheme and authority. */
export function originText({ scheme, authority, origin }: BaseDraft): string {
  return origin ?? scheme + authority;
}

export function authorityText({ authority, origin }: BaseDraft): string {
  return origin === undefined ? authority : splitUrl(origin).authority;
}

export function pathText({ path, pathSlashes, pathEncoding }: BaseDraft): string {
  const slashed = pathSlashes === undefined ? path : pathSlashes(path);
  return pathEncoding === undefined ? slashed : pathEncoding(slashed);
}

/** Caches the last result: most variations in a row leave the query unchanged. */
export function queryText({ query, queryOrder, queryEncoding }: BaseDraft): string {
  if (queryOrder === undefined && queryEncoding === undefined) return query;
  if (lastQuery.query === query && lastQuery.order === queryOrder && lastQuery.encoding === queryEncoding)
    return lastQuery.text;
  const ordered = queryOrder === undefined ? query : queryOrder(query);
  const text = queryEncoding === undefined ? ordered : queryEncoding(ordered);
  lastQuery = { query, order: queryOrder, encoding: queryEncoding, text };
  return text;
}

interface WrittenQuery {
  readonly query: string;
  readonly order: TextChange | undefined;
  readonly encoding: TextChange | undefined;
  readonly text: string;
}

let lastQuery: WrittenQuery = { query: '', order: undefined, encoding: undefined, text: '' };

/** Returns true if the value of a line is part of the text. */
export function showsLine(draft: BaseDraft, name: LineName): boolean {
  const { structure, otherText } = draft;
  if (otherText) {
    const shown = shownBy[name];
    return shown !== undefined && otherText.shows.includes(shown);
  }
  return structure.lines.includes(name) && printOf(draft, name)?.isConstant !== true;
}

function printOf(draft: BaseDraft, name: LineName): ValuePrint | undefined {
  const field = printFields[name];
  return field && draft[field];
}

/** The fields that hold a line's print. Each of the profile's lines has one. */
export const printFields: Readonly<
  Partial<Record<LineName, 'methodPrint' | 'targetPrint' | 'digestPrint' | 'datePrint' | 'paramsPrint'>>
> = {
  '@method': 'methodPrint',
  '@target-uri': 'targetPrint',
  'content-digest': 'digestPrint',
  date: 'datePrint',
  '@signature-params': 'paramsPrint',
};

const shownBy: Readonly<Partial<Record<LineName, OtherText['shows'][number]>>> = {
  '@method': 'method',
  date: 'date',
  '@signature-params': 'signatureParams',
};

/** Returns true if a part of the URL is in the text. */
export function showsUrl(draft: BaseDraft, part: UrlPart): boolean {
  if (draft.origin !== undefined && (part === 'scheme' || part === 'authority')) return false;
  if (draft.otherText) return draft.otherText.shows.includes(part);
  if (draft.targetUri.parts.includes(part) && showsLine(draft, '@target-uri')) return true;
  return linesOfPart[part].some((name) => draft.structure.lines.includes(name));
}

const linesOfPart: Readonly<Record<UrlPart, readonly LineName[]>> = {
  scheme: ['@scheme'],
  authority: ['@authority'],
  path: ['@path', '@request-target', '(request-target)'],
  query: ['@query', '@request-target', '(request-target)'],
  fragment: ['@request-target'],
};

/** Lines that are already written, by index. Missing ones are written when a base is. */
export type WrittenLines = (string | undefined)[];

export function writeBase(draft: BaseDraft, others: OtherValues, written: WrittenLines = []): string {
  if (draft.otherText) {
    const text = draft.beginning + draft.otherText.write(draft) + draft.ending;
    return draft.rewrite ? draft.rewrite(text) : text;
  }
  const { lines, isCavage } = draft.structure;
  let text = draft.beginning;
  const isUsualEnd = draft.lineEnd === usualForm.lineEnd;
  const last = lines.length - 1;
  for (let index = 0; index <= last; index++) {
    text += written[index] ??= writeLine(draft, others, lines[index]!, index, isCavage);
    if (index < last) text += isUsualEnd ? '\n' : draft.lineEnd(index, lines.length);
  }
  text += draft.ending;
  return draft.rewrite ? draft.rewrite(text) : text;
}

export function writeLine(
  draft: BaseDraft,
  others: OtherValues,
  name: LineName,
  index: number,
  isCavage: boolean,
): string {
  const line = writePlainLine(draft, others, name, index, isCavage);
  return draft.lineText === undefined ? line : draft.lineText(line, index);
}

function writePlainLine(
  draft: BaseDraft,
  others: OtherValues,
  name: LineName,
  index: number,
  isCavage: boolean,
): string {
  const value = lineValue(draft, others, name);
  if (name === '@signature-params' && draft.paramsPrefix !== undefined) return draft.paramsPrefix + value;
  if (draft.lineStart && !isCavage) return draft.lineStart(name) + value;
  if (isCavage) return name + draft.separator(index, name) + value;
  const isUsual = draft.writeName === usualForm.writeName && draft.separator === usualForm.separator;
  return (isUsual ? usualStart(name) : draft.writeName(name) + draft.separator(index, name)) + value;
}

/** Name and separator, built once for each name: most texts in a search have the usual ones. */
function usualStart(name: LineName): string {
  const known = usualStarts.get(name);
  if (known !== undefined) return known;
  // Names come from requests.
  if (usualStarts.size >= usualStartsMax) usualStarts.clear();
  const start = `${quotedName(name)}: `;
  usualStarts.set(name, start);
  return start;
}

const usualStarts = new Map<LineName, string>();
const usualStartsMax = 64;

function lineValue(draft: BaseDraft, others: OtherValues, name: LineName): string {
  if (draft.otherValue === undefined) return usualValue(draft, others, name);
  const value = usualValue(draft, others, name);
  return draft.otherValue(name, value) ?? value;
}

function usualValue(draft: BaseDraft, others: OtherValues, name: LineName): string {
  switch (name) {
    case '@method':
      return printed(draft.method, draft.methodPrint);
    case '@target-uri':
      return printed(draft.targetUri.write(draft), draft.targetPrint);
    case 'content-digest':
      return printed(draft.contentDigest, draft.digestPrint);
    case 'date':
      return printed(draft.date, draft.datePrint);
    case 'digest':
      return draft.oldDigest;
    case '@signature-params':
      return printed(paramsOf(draft), draft.paramsPrint);
    case '(request-target)':
      return `${draft.method.toLowerCase()} ${pathText(draft)}${queryText(draft)}`;
    case '@request-target':
      return pathText(draft) + queryText(draft) + draft.fragment;
    case '@path':
      return pathText(draft);
    case '@query':
      return queryText(draft) || '?';
    case '@authority':
      return authorityText(draft);
    case '@scheme':
      return draft.scheme.replace('://', '');
    default:
      return others.get(name) ?? '';
  }
}

function printed(value: string, print: ValuePrint | undefined): string {
  return print === undefined ? value : print.write(value);
}

function paramsOf({ signatureParams, created, otherParameter }: BaseDraft): string {
  const timed = created === undefined ? signatureParams : created(signatureParams);
  return otherParameter === undefined ? timed : otherParameter(timed);
}
