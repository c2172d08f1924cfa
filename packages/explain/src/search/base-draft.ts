import type { HashFunction } from '../explanation.ts';

/** A line of a signature base: a component, or a line of another kind of signing string. */
export type LineName = string;

/** Which lines a base has, in which order, and whether it is written like the signing strings of the old drafts. */
export interface BaseStructure {
  readonly lines: readonly LineName[];
  readonly isCavage: boolean;
}

/**
 * The text that somebody may have signed, in independent parts. A field that is a function writes a part of it.
 * Variations replace one field each.
 */
export interface BaseDraft {
  method: string;
  /** With `://`. */
  scheme: string;
  authority: string;
  path: string;
  /** With its question mark; empty without a query. */
  query: string;
  fragment: string;
  /** Puts the target URI together. */
  targetUri: (draft: BaseDraft) => string;
  contentDigest: string;
  date: string;
  /** The value of the old Digest header, for lines of the old drafts. */
  oldDigest: string;
  signatureParams: string;
  /** Replaces name and separator of the last line. */
  paramsPrefix: string | undefined;
  structure: BaseStructure;
  writeName: (name: LineName) => string;
  separator: (lineIndex: number, name: LineName) => string;
  /** What stands after the line with this index; not asked for the last. */
  lineEnd: (lineIndex: number, lineCount: number) => string;
  ending: string;
  beginning: string;
  /** Changes the whole text. */
  rewrite: ((text: string) => string) | undefined;
  charset: Charset;
  /** What the signer did with the bytes before the padding; undefined: hashed them with `hash`. */
  finish: Finish | undefined;
}

/** How a text becomes bytes. */
export type Charset =
  | 'utf-8'
  /** For headers with octets outside ASCII, each of which is one character here. */
  | 'latin-1'
  | 'utf-16le'
  | 'utf-16le-bom'
  | 'utf-16be'
  | 'utf-16be-bom'
  | 'utf-8-bom';

/** What a signer may have done with the bytes of the base in place of hashing them once: hashed them with `inner` before. */
export type Finish = (bytes: Uint8Array, hash: HashFunction, inner: HashFunction) => Uint8Array;

/** Values of lines that are not among the parts of a draft: other headers and derived components. */
export type OtherValues = ReadonlyMap<LineName, string>;

/** Writes the text of a draft. */
export function writeBase(draft: BaseDraft, others: OtherValues): string {
  const { lines, isCavage } = draft.structure;
  let text = draft.beginning;
  const last = lines.length - 1;
  for (let index = 0; index <= last; index++) {
    const name = lines[index]!;
    text += writeLine(draft, others, name, index, isCavage);
    if (index < last) text += draft.lineEnd(index, lines.length);
  }
  text += draft.ending;
  return draft.rewrite ? draft.rewrite(text) : text;
}

/** Writes one line of a draft. */
export function writeLine(
  draft: BaseDraft,
  others: OtherValues,
  name: LineName,
  index: number,
  isCavage: boolean,
): string {
  const value = lineValue(draft, others, name);
  if (name === '@signature-params' && draft.paramsPrefix !== undefined) return draft.paramsPrefix + value;
  const written = isCavage ? name : draft.writeName(name);
  return written + draft.separator(index, name) + value;
}

function lineValue(draft: BaseDraft, others: OtherValues, name: LineName): string {
  switch (name) {
    case '@method':
      return draft.method;
    case '@target-uri':
      return draft.targetUri(draft);
    case 'content-digest':
      return draft.contentDigest;
    case 'date':
      return draft.date;
    case 'digest':
      return draft.oldDigest;
    case '@signature-params':
      return draft.signatureParams;
    case '(request-target)':
      return `${draft.method.toLowerCase()} ${draft.path}${draft.query}`;
    case '@request-target':
      return draft.path + draft.query;
    case '@path':
      return draft.path;
    case '@query':
      return draft.query === '' ? '?' : draft.query;
    case '@authority':
      return draft.authority;
    case '@scheme':
      return draft.scheme.replace('://', '');
    default:
      return others.get(name) ?? '';
  }
}
