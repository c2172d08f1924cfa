import { encodeBase64 } from '@countersign/signature';
import { hexadecimal } from '@countersign/signature/keys';
import { utf8Bytes } from '../byte-text.ts';
import { type Alternative, alternative, alternatives, type Dimension } from '../drafts/alternatives.ts';
import type { HashFunction } from '../explanation.ts';
import type { Words } from '../findings/finding.ts';
import {
  escapeAlternatives,
  everyEscape,
  type FormChange,
  type FormEscape,
  formMeanings,
  formOrders,
  type FormPair,
  readForm,
  usualEscape,
  writeForm,
} from './form-body.ts';
import {
  type JsonLayout,
  type JsonNode,
  type JsonWriting,
  readJsonText,
  writeJsonText,
} from './json-text.ts';
import { layoutAlternatives, layoutOf } from './json-layouts.ts';
import {
  asReceived,
  innerOrders,
  numberAlternatives,
  orderAlternatives,
  outermostOrders,
  stringAlternatives,
} from './json-variations.ts';
import { rareRelaxedForms, relaxedForms } from './relaxed-json.ts';
import { treeAlternatives, type TreeChange } from './json-trees.ts';
import { timeChanges } from './json-times.ts';
import { encodedBodies, expandedBodies } from './handled-bodies.ts';
import { numberForms } from './json-number-forms.ts';
import { escapedForms } from './json-string-forms.ts';
import { type PrintedForm, printedForms, twiceForms } from './printed-forms.ts';
import { type ValuePrinter, valuePrinters } from './value-printers.ts';
import { bytesOfText, type TextCharset, textOf } from './text-charset.ts';

/** A text that the caller may have hashed instead of the body, in independent parts. */
export interface BodyDraft {
  tree: TreeChange | undefined;
  layout: JsonLayout | undefined;
  order: JsonWriting['order'];
  innerOrder: JsonWriting['order'] | undefined;
  string: JsonWriting['string'];
  number: JsonWriting['number'];
  formList: FormChange | undefined;
  formOrder: FormChange | undefined;
  formEscape: FormEscape | undefined;
  /** A language's own printout of the value, instead of JSON. */
  print: ValuePrinter | undefined;
  twice: PrintedForm | undefined;
  printed: PrintedForm | undefined;
  lineEnd: string | undefined;
  ending: ((text: string) => string) | undefined;
  charset: TextCharset;
  hasMark: boolean;
  finish: ((bytes: Uint8Array, hash: HashFunction) => Uint8Array) | undefined;
}

/** A body and the ways to vary it. */
export interface VariedBody {
  readonly draft: BodyDraft;
  readonly dimensions: readonly Dimension<BodyDraft>[];
  /** Writes the draft's current bytes. Undefined if the combination makes no sense. */
  readonly write: () => Uint8Array | undefined;
}

/** Prepares the variations of a body. Binary and long bodies are varied very little. */
export function varyBody(bytes: Uint8Array): VariedBody {
  const { text: received, charset, hasMark } = textOf(bytes);
  const json = bytes.length <= jsonBytesMax ? readJsonText(received) : undefined;
  // The line ends of JSON are not part of its layout.
  const hasOnlyCrlf = json !== undefined && /\r\n/.test(received) && !/(?<!\r)\n|\r(?!\n)/.test(received);
  const text = hasOnlyCrlf ? received.replaceAll('\r\n', '\n') : received;
  const form = json || bytes.length > formBytesMax ? undefined : readForm(text);
  const layout = json && layoutOf(text.trim(), json);
  const draft: BodyDraft = {
    tree: undefined,
    layout,
    ...asReceived,
    innerOrder: undefined,
    formList: undefined,
    formOrder: undefined,
    formEscape: undefined,
    print: undefined,
    twice: undefined,
    printed: undefined,
    lineEnd: hasOnlyCrlf ? '\r\n' : undefined,
    ending: undefined,
    charset,
    hasMark,
    finish: undefined,
  };
  return {
    draft,
    dimensions: dimensionsOf(draft, text, json, form),
    write: () => writeBody(draft, text, json, form, layout),
  };
}

/** Larger bodies only get other line ends, charsets and the like. */
const jsonBytesMax = 128 * 1024;
const formBytesMax = 16 * 1024;

function dimensionsOf(
  draft: BodyDraft,
  text: string,
  json: JsonNode | undefined,
  form: readonly FormPair[] | undefined,
): readonly Dimension<BodyDraft>[] {
  const ofForm: Dimension<BodyDraft>[] = form
    ? [
        { field: 'formList', alternatives: () => formMeanings(form) },
        { field: 'formOrder', alternatives: () => formOrders(form) },
        { field: 'formEscape', alternatives: escapeAlternatives, alone: () => everyEscape(form) },
      ]
    : [];
  return [
    ...(json ? dimensionsOfJson(draft, text, json) : []),
    ...ofForm,
    {
      field: 'ending',
      ...(json && { jointCostMax: 1.5 }),
      isWritten: ({ print }) => print === undefined,
      alternatives: () => endings,
      alone: () => rareEndings,
    },
    {
      field: 'lineEnd',
      ...(json && { jointCostMax: 1 }),
      alternatives: () => lineEndsOf(text, json, draft.lineEnd),
      alone: () => (/\n/.test(text) ? rareLineEnds : []),
    },
    { field: 'charset', alternatives: () => charsets.filter(({ value }) => value !== draft.charset) },
    { field: 'hasMark', alternatives: () => marks(draft.hasMark) },
    {
      field: 'twice',
      ...(json && { jointCostMax: 2 }),
      alternatives: () => (text.length <= jsonBytesMax ? twiceForms : []),
    },
    {
      field: 'printed',
      alternatives: () => (text.length <= jsonBytesMax ? printedForms : []),
      alone: () => (text.length <= formBytesMax ? [...encodedBodies, ...expandedBodies(text)] : []),
    },
    { field: 'finish', alternatives: () => finishes },
  ];
}

function dimensionsOfJson(draft: BodyDraft, text: string, json: JsonNode): readonly Dimension<BodyDraft>[] {
  const usualLayout = draft.layout;
  return [
    // First, because each of the others gives up an unknown layout.
    { field: 'layout', jointCostMax: 3, alternatives: () => layoutAlternatives(draft.layout, json) },
    {
      field: 'string',
      jointCostMax: 3,
      alternatives: () => [...stringAlternatives, ...escapedForms(json)],
    },
    {
      field: 'print',
      jointCostMax: 2,
      isWritten: ({ layout, string }) => layout === usualLayout && string === asReceived.string,
      alternatives: () => (text.length <= jsonBytesMax ? [...valuePrinters, ...relaxedForms()] : []),
      alone: () => rareRelaxedForms(),
    },
    {
      field: 'tree',
      jointCostMax: 2,
      alternatives: () => treeAlternatives(json),
      alone: () => timeChanges(json),
    },
    {
      field: 'order',
      jointCostMax: 3,
      alternatives: () => [...orderAlternatives, ...outermostOrders(json)],
    },
    { field: 'innerOrder', jointCostMax: 2, alternatives: () => innerOrders(json) },
    {
      field: 'number',
      jointCostMax: 3.5,
      alternatives: () => [...numberAlternatives, ...numberForms(json)],
    },
  ];
}

function writeBody(
  draft: BodyDraft,
  text: string,
  json: JsonNode | undefined,
  form: readonly FormPair[] | undefined,
  usualLayout: JsonLayout | undefined,
): Uint8Array | undefined {
  const tree = json && draft.tree ? draft.tree(json) : json;
  let written = text;
  if (tree && draft.print) {
    if (tree.kind !== 'object' && tree.kind !== 'array') return undefined;
    const printed = draft.print(meantNode(tree, orderOf(draft), draft.number, 0));
    if (printed === undefined) return undefined;
    written = printed;
  } else if (tree && isRewritten(draft, usualLayout)) written = rewritten(draft, tree, text);
  if (form) written = rewrittenForm(draft, form, text);
  if (draft.lineEnd !== undefined) written = written.replace(/\r?\n/g, draft.lineEnd);
  if (draft.twice && draft.ending) written = draft.ending(written);
  for (const print of [draft.twice, draft.printed]) {
    if (!print) continue;
    const printed = print(written, tree);
    if (printed === undefined) return undefined;
    written = printed;
  }
  if (draft.ending && !draft.twice) written = draft.ending(written);
  return bytesOfText(written, draft.charset, draft.hasMark);
}

function rewrittenForm(draft: BodyDraft, form: readonly FormPair[], text: string): string {
  const { formList, formOrder, formEscape } = draft;
  if (!formList && !formOrder && !formEscape) return text;
  const listed = formList ? formList(form) : form;
  const ordered = formOrder ? formOrder(listed) : listed;
  return writeForm(ordered, formEscape ?? usualEscape);
}

function isRewritten(draft: BodyDraft, usualLayout: JsonLayout | undefined): boolean {
  return (
    draft.tree !== undefined ||
    draft.layout !== usualLayout ||
    draft.order !== asReceived.order ||
    draft.innerOrder !== undefined ||
    draft.string !== asReceived.string ||
    draft.number !== asReceived.number
  );
}

function rewritten(draft: BodyDraft, json: JsonNode, text: string): string {
  const { layout, string, number } = draft;
  const order = orderOf(draft);
  if (layout || order !== asReceived.order || draft.tree)
    return (
      /^\s*/.exec(text)![0] +
      writeJsonText(json, { layout: layout ?? compact, order, string, number }) +
      text.slice(text.trimEnd().length)
    );
  // Keep an unknown layout and rewrite only strings and numbers in place.
  return text.replace(
    /("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g,
    (raw: string, quoted?: string) =>
      quoted === undefined ? number(raw) : string({ kind: 'string', raw, value: JSON.parse(raw) as string }),
  );
}

/** Uses the inner order wherever there is one. */
function orderOf({ order, innerOrder }: BodyDraft): JsonWriting['order'] {
  if (!innerOrder) return order;
  return (members, depth) => {
    const inner = innerOrder(members, depth);
    return inner === members ? order(members, depth) : inner;
  };
}

/** Returns the value with the draft's members and numbers, for printers that do not know JSON. */
function meantNode(
  node: JsonNode,
  order: JsonWriting['order'],
  number: JsonWriting['number'],
  depth: number,
): JsonNode {
  if (node.kind === 'number') return { kind: 'number', raw: number(node.raw) };
  if (node.kind === 'array')
    return { kind: 'array', items: node.items.map((item) => meantNode(item, order, number, depth + 1)) };
  if (node.kind !== 'object') return node;
  const members = order(node.members, depth).map(({ name, value }) => ({
    name,
    value: meantNode(value, order, number, depth + 1),
  }));
  return { kind: 'object', members };
}

const compact: JsonLayout = { name: '', comma: ',', colon: ':' };

const endings = alternatives<BodyDraft['ending']>('body_trailing_newline', [
  ['with a newline at its end', 1, (text) => `${text}\n`],
  ['without the newline at its end', 1, (text) => text.replace(/\r?\n$/, '')],
  ['with CRLF at its end', 2, (text) => `${text}\r\n`],
  ['without the white space at its end', 2, (text) => text.trimEnd()],
  ['without the white space around it', 2, (text) => text.trim()],
  ['with two spaces before and after it', 2.5, (text) => `  ${text}  `],
  ['with a space before and after it', 3, (text) => ` ${text} `],
  ['with a newline before and after it', 3, (text) => `\n${text}\n`],
  ['with a space at its end', 3, (text) => `${text} `],
  ['with a newline before it', 3, (text) => `\n${text}`],
  ['with two newlines at its end', 3, (text) => `${text}\n\n`],
  ['with a NUL byte at its end', 4, (text) => `${text}\0`],
]);

const rareEndings = alternatives<BodyDraft['ending']>('body_trailing_newline', [
  ['with a carriage return at its end', 3, (text) => `${text}\r`],
  ['without the carriage return at its end', 3, (text) => text.replace(/\r$/, '')],
  ['with a tab at its end', 3, (text) => `${text}\t`],
  ['with LFCR at its end', 3, (text) => `${text}\n\r`],
  ['with three newlines at its end', 3, (text) => `${text}\n\n\n`],
  ['with CRLF before and after it', 3, (text) => `\r\n${text}\r\n`],
  ['with two line breaks in CRLF at its end', 3, (text) => `${text}\r\n\r\n`],
  ['with the characters \\n at its end', 3, (text) => `${text}\\n`],
]);

const lineEnds = alternatives<BodyDraft['lineEnd']>('body_line_ends', [
  ['with CRLF line endings', 1, '\r\n'],
  ['with LF line endings', 1, '\n'],
]);

function lineEndsOf(
  text: string,
  json: JsonNode | undefined,
  usual: BodyDraft['lineEnd'],
): readonly Alternative<BodyDraft['lineEnd']>[] {
  if (/\n/.test(text)) return lineEnds.filter(({ value }) => value !== usual);
  return json ? lineEndsOfJson : [];
}

/** Lists the line ends that remain after programs read or join lines, and what shells make of \n. */
const rareLineEnds = alternatives<BodyDraft['lineEnd']>('body_line_ends', [
  ['without its line breaks', 3, ''],
  ['with a space in place of each line break', 3, ' '],
  ['with CR line endings', 3, '\r'],
  ['with the characters \\n in place of each line break', 3, '\\n'],
  ['with the characters \\r\\n in place of each line break', 3, '\\r\\n'],
  ['with two newlines in place of each', 3, '\n\n'],
]);

/** One-line JSON has no line ends; in other documents they belong to the layout. */
const lineEndsOfJson = alternatives<BodyDraft['lineEnd']>('body_json_whitespace', [
  ['with CRLF line endings', 1, '\r\n'],
]);

const charsets = alternatives<TextCharset>('body_charset', [
  ['in UTF-8', 1, 'utf-8'],
  ['in Latin-1', 1, 'latin-1'],
  ['in Windows-1252', 2, 'windows-1252'],
  ['in UTF-16 (little-endian)', 2, 'utf-16le'],
  ['in UTF-16 (big-endian)', 2, 'utf-16be'],
  ['in ASCII, with a question mark for every other character', 2, 'ascii'],
  ['with U+FFFD for every character outside of ASCII', 3, 'replaced'],
  ['in the Unicode form NFD', 2, 'nfd'],
  ['in the Unicode form NFC', 2, 'nfc'],
  ['encoded in UTF-8 twice: its UTF-8 was read as Latin-1', 2, 'utf-8-twice'],
  ['encoded in UTF-8 once: the body was encoded twice', 2, 'utf-8-undone'],
]);

function marks(usual: boolean): readonly Alternative<boolean>[] {
  const detail = usual ? 'without the byte order mark' : 'with a byte order mark';
  return [alternative('body_bom', detail, 1, !usual)];
}

function hashedAgain(what: string): Words {
  return {
    what: `The digest is not the SHA-256 of the body, but the SHA-256 of ${what}: it was hashed twice.`,
    mend: 'Hash the body once, and encode the 32 raw bytes of the hash in Base64.',
  };
}

const finishes = alternatives<BodyDraft['finish']>('digest_of_hex', [
  [
    hashedAgain('the Base64 text of its SHA-256'),
    3,
    (bytes, hash) => hash(utf8Bytes(encodeBase64(hash(bytes)))),
  ],
  [
    hashedAgain('the Base64 text of its SHA-256 and a newline'),
    4,
    (bytes, hash) => hash(utf8Bytes(`${encodeBase64(hash(bytes))}\n`)),
  ],
  [
    hashedAgain('the hex text of its SHA-256 and a newline'),
    4,
    (bytes, hash) => hash(utf8Bytes(`${hexadecimal(hash(bytes))}\n`)),
  ],
  [
    hashedAgain('what sha256sum prints for it'),
    4,
    (bytes, hash) => hash(utf8Bytes(`${hexadecimal(hash(bytes))}  -\n`)),
  ],
  [hashedAgain('the hex text of its SHA-256'), 1, (bytes, hash) => hash(utf8Bytes(hexadecimal(hash(bytes))))],
  [hashedAgain('its SHA-256'), 2, (bytes, hash) => hash(hash(bytes))],
]);
