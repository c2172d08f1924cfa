import { Alternatives, type Dimension } from './enumeration.ts';
import type { HashFunction } from '../explanation.ts';
import {
  asReceived,
  fewerMembers,
  layoutAlternatives,
  layoutOf,
  numberAlternatives,
  orderAlternatives,
  outermostOrders,
  stringAlternatives,
} from '../variations/json-variations.ts';
import {
  type JsonLayout,
  type JsonNode,
  type JsonWriting,
  readJsonText,
  writeJsonText,
} from '../variations/json-text.ts';
import { type PrintedForm, printedForms } from '../variations/printed-forms.ts';
import { hexadecimal } from '@countersign/signature/keys';
import { bytesOfText, type TextCharset, textOf } from '../variations/text-charset.ts';

/** The text that somebody may have hashed in place of the body, in independent parts. */
export interface BodyDraft {
  layout: JsonLayout | undefined;
  order: JsonWriting['order'];
  string: JsonWriting['string'];
  number: JsonWriting['number'];
  printed: PrintedForm | undefined;
  lineEnd: '\n' | '\r\n' | undefined;
  ending: ((text: string) => string) | undefined;
  charset: TextCharset;
  hasMark: boolean;
  finish: ((bytes: Uint8Array, hash: HashFunction) => Uint8Array) | undefined;
}

/** A body that can be varied. */
export interface VariedBody {
  readonly draft: BodyDraft;
  readonly dimensions: readonly Dimension<BodyDraft>[];
  /** Writes the bytes of the draft as it stands; undefined where it makes no sense. */
  readonly write: () => Uint8Array | undefined;
}

/** Prepares the variations of a body. Bytes that are no text are varied very little, and so are long texts. */
export function varyBody(bytes: Uint8Array): VariedBody {
  const { text, charset, hasMark } = textOf(bytes);
  const json = bytes.length <= jsonBytesMax ? readJsonText(text) : undefined;
  const layout = json && layoutOf(text.trim(), json);
  const draft: BodyDraft = {
    layout,
    ...asReceived,
    printed: undefined,
    lineEnd: undefined,
    ending: undefined,
    charset,
    hasMark,
    finish: undefined,
  };
  return {
    draft,
    dimensions: dimensionsOf(draft, text, json),
    write: () => writeBody(draft, text, json, layout),
  };
}

/** Above this only line ends, charset and the like are varied. */
const jsonBytesMax = 128 * 1024;

function dimensionsOf(
  draft: BodyDraft,
  text: string,
  json: JsonNode | undefined,
): readonly Dimension<BodyDraft>[] {
  const ofJson: Dimension<BodyDraft>[] = json
    ? [
        { field: 'layout', alternatives: () => layoutAlternatives(draft.layout) },
        {
          field: 'order',
          alternatives: () => [...orderAlternatives, ...fewerMembers(json), ...outermostOrders(json)],
        },
        { field: 'string', alternatives: () => stringAlternatives },
        { field: 'number', alternatives: () => numberAlternatives },
      ]
    : [];
  return [
    ...ofJson,
    { field: 'ending', alternatives: () => endings },
    { field: 'lineEnd', alternatives: () => (/\n/.test(text) ? lineEnds : json ? lineEndsOfJson : []) },
    { field: 'charset', alternatives: () => charsets(draft.charset) },
    { field: 'hasMark', alternatives: () => marks(draft.hasMark) },
    { field: 'printed', alternatives: () => (text.length <= jsonBytesMax ? printedForms : []) },
    { field: 'finish', alternatives: () => finishes },
  ];
}

function writeBody(
  draft: BodyDraft,
  text: string,
  json: JsonNode | undefined,
  usualLayout: JsonLayout | undefined,
): Uint8Array | undefined {
  let written = json && isRewritten(draft, usualLayout) ? rewritten(draft, json, text) : text;
  if (draft.lineEnd !== undefined) written = written.replace(/\r?\n/g, draft.lineEnd);
  if (draft.printed) {
    const printed = draft.printed(written, json);
    if (printed === undefined) return undefined;
    written = printed;
  }
  if (draft.ending) written = draft.ending(written);
  return bytesOfText(written, draft.charset, draft.hasMark);
}

function isRewritten(draft: BodyDraft, usualLayout: JsonLayout | undefined): boolean {
  return (
    draft.layout !== usualLayout ||
    draft.order !== asReceived.order ||
    draft.string !== asReceived.string ||
    draft.number !== asReceived.number
  );
}

function rewritten(draft: BodyDraft, json: JsonNode, text: string): string {
  const { layout, order, string, number } = draft;
  if (layout || order !== asReceived.order)
    return (
      /^\s*/.exec(text)![0] +
      writeJsonText(json, { layout: layout ?? compact, order, string, number }) +
      text.slice(text.trimEnd().length)
    );
  // A layout of its own is kept: only strings and numbers are written anew, where they stand.
  return text.replace(
    /("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g,
    (raw: string, quoted?: string) =>
      quoted === undefined ? number(raw) : string({ kind: 'string', raw, value: JSON.parse(raw) as string }),
  );
}

const compact: JsonLayout = { name: '', comma: ',', colon: ':' };

const endings = new Alternatives<BodyDraft['ending']>(undefined)
  .add((text) => `${text}\n`, 1, 'body_trailing_newline', 'a newline was hashed too')
  .add(
    (text) => text.replace(/\r?\n$/, ''),
    1,
    'body_trailing_newline',
    'the newline at the end was not hashed',
  )
  .add((text) => `${text}\r\n`, 2, 'body_trailing_newline', 'CRLF was hashed too')
  .add((text) => text.trimEnd(), 2, 'body_trailing_newline', 'white space at the end was not hashed')
  .add((text) => text.trim(), 2, 'body_trailing_newline', 'white space around the body was not hashed')
  .add((text) => `${text} `, 3, 'body_trailing_newline', 'a space was hashed too')
  .add((text) => `${text}\n\n`, 3, 'body_trailing_newline', 'two newlines were hashed too')
  .add((text) => `${text}\0`, 4, 'body_trailing_newline', 'a NUL byte was hashed too').list;

const lineEnds = new Alternatives<BodyDraft['lineEnd']>(undefined)
  .add('\r\n', 1, 'body_line_ends', 'CRLF was hashed')
  .add('\n', 1, 'body_line_ends', 'LF was hashed').list;

/** JSON in one line has no line ends; those of another layout belong to that layout. */
const lineEndsOfJson = new Alternatives<BodyDraft['lineEnd']>(undefined).add(
  '\r\n',
  1,
  'body_json_whitespace',
  'with CRLF',
).list;

function charsets(usual: TextCharset) {
  const list = new Alternatives<TextCharset>(usual);
  list.add('utf-8', 1, 'body_charset', 'UTF-8 was hashed');
  list.add('latin-1', 1, 'body_charset', 'Latin-1 was hashed');
  list.add('windows-1252', 2, 'body_charset', 'Windows-1252 was hashed');
  list.add('utf-16le', 2, 'body_charset', 'UTF-16, little-endian, was hashed');
  list.add('utf-16be', 2, 'body_charset', 'UTF-16, big-endian, was hashed');
  list.add('ascii', 2, 'body_charset', 'ASCII with question marks was hashed');
  list.add('utf-8-twice', 2, 'body_charset', 'UTF-8 that was taken for Latin-1 was hashed');
  list.add('utf-8-undone', 2, 'body_charset', 'the text before it was encoded twice was hashed');
  return list.list;
}

function marks(usual: boolean) {
  const detail = usual ? 'it was sent and not hashed' : 'it was hashed and not sent';
  return new Alternatives<boolean>(usual).add(!usual, 1, 'body_bom', detail).list;
}

const finishes = new Alternatives<BodyDraft['finish']>(undefined)
  .add((bytes, hash) => hash(ascii(hexadecimal(hash(bytes)))), 1, 'digest_of_hex', 'the hex text was hashed')
  .add((bytes, hash) => hash(hash(bytes)), 2, 'digest_of_hex', 'the hash was hashed again').list;

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
