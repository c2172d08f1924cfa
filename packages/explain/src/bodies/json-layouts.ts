import { type Alternative, Alternatives } from '../drafts/alternatives.ts';
import type { FindingCode } from '../findings/findings.ts';
import { type JsonLayout, type JsonNode, nodesOf, writeJsonText } from './json-text.ts';
import { asReceived } from './json-variations.ts';

/** Layouts that libraries write, most frequent first. */
const jsonLayouts: readonly JsonLayout[] = [
  { name: 'on one line without spaces', comma: ',', colon: ':' },
  {
    name: "on one line with a space after each comma and colon, as Python's json.dumps writes it",
    comma: ', ',
    colon: ': ',
  },
  { name: 'indented by 2 spaces', indent: '  ', comma: ',', colon: ': ' },
  { name: 'indented by 4 spaces', indent: '    ', comma: ',', colon: ': ' },
  { name: 'indented by tabs', indent: '\t', comma: ',', colon: ': ' },
  {
    name: 'indented as Jackson does',
    indent: '  ',
    comma: ',',
    colon: ' : ',
    hasInlineArrays: true,
    padding: ' ',
    inEmpty: ' ',
  },
  { name: 'on one line with spaces after the colons only', comma: ',', colon: ': ' },
  { name: 'on one line with spaces after the commas only', comma: ', ', colon: ':' },
  { name: 'indented by 1 space', indent: ' ', comma: ',', colon: ': ' },
  { name: 'indented by 3 spaces', indent: '   ', comma: ',', colon: ': ' },
  { name: 'indented by 8 spaces', indent: '        ', comma: ',', colon: ': ' },
  { name: 'on several lines without indentation', indent: '', comma: ',', colon: ': ' },
  { name: 'on several lines without indentation or spaces', indent: '', comma: ',', colon: ':' },
  { name: 'indented by 2 spaces, without spaces after colons', indent: '  ', comma: ',', colon: ':' },
  { name: 'indented by 2 spaces, with spaces after commas', indent: '  ', comma: ', ', colon: ': ' },
  { name: 'indented by 4 spaces, with spaces after commas', indent: '    ', comma: ', ', colon: ': ' },
  { name: 'indented by 4 spaces, with spaces around colons', indent: '    ', comma: ',', colon: ' : ' },
  { name: 'indented by 2 spaces, with spaces around colons', indent: '  ', comma: ',', colon: ' : ' },
  { name: "indented as Perl's JSON::PP does", indent: '   ', comma: ',', colon: ' : ' },
  { name: 'on one line with spaces around the colons', comma: ', ', colon: ' : ' },
  { name: 'on one line with spaces inside the braces', comma: ', ', colon: ': ', padding: ' ' },
  {
    name: "indented by 2 spaces, with empty lists on several lines, as Ruby's JSON.pretty_generate writes it",
    indent: '  ',
    comma: ',',
    colon: ': ',
    emptyArray: '\n\n',
    emptyObject: '\n',
  },
  {
    name: 'indented as Swift does',
    indent: '  ',
    comma: ',',
    colon: ' : ',
    emptyArray: '\n\n',
    emptyObject: '\n\n',
  },
  {
    name: "indented as PowerShell 5's ConvertTo-Json does",
    indent: '    ',
    comma: ',',
    colon: ':  ',
    isHanging: true,
    emptyArray: '\n\n',
    emptyObject: '\n\n',
  },
  { name: 'indented by tabs, with a tab after colons', indent: '\t', comma: ',', colon: ':\t' },
  { name: 'indented by tabs, with spaces around colons', indent: '\t', comma: ',', colon: ' : ' },
  {
    name: 'indented by 3 spaces, with spaces around colons',
    indent: '   ',
    comma: ',',
    colon: ' : ',
    hasInlineArrays: true,
    padding: ' ',
  },
  { name: 'on one line with spaces around the colons only', comma: ',', colon: ' : ' },
  { name: 'on one line with line breaks after the commas', comma: ',\n', colon: ': ' },
  { name: 'indented by 4 spaces, without spaces after colons', indent: '    ', comma: ',', colon: ':' },
  { name: 'indented by tabs, without spaces after colons', indent: '\t', comma: ',', colon: ':' },
  {
    name: 'with spaces inside its brackets and none after commas and colons',
    comma: ',',
    colon: ':',
    padding: ' ',
  },
  {
    name: 'indented as Jackson does, by 4 spaces',
    indent: '    ',
    comma: ',',
    colon: ' : ',
    hasInlineArrays: true,
    padding: ' ',
    inEmpty: ' ',
  },
  {
    name: 'indented by tabs as cJSON does',
    indent: '\t',
    comma: ',',
    colon: ':\t',
    hasInlineArrays: true,
    isArrayIndented: true,
    emptyObject: '\n',
  },
  {
    name: 'indented by tabs, with nested objects on lines of their own, as JsonCpp does',
    indent: '\t',
    comma: ',',
    colon: ' : ',
    hasOwnLines: true,
  },
  {
    name: 'indented by 3 spaces, with nested objects on lines of their own, as JsonCpp does',
    indent: '   ',
    comma: ',',
    colon: ' : ',
    hasOwnLines: true,
  },
  {
    name: 'indented by 2 spaces, with arrays on one line',
    indent: '  ',
    comma: ',',
    colon: ': ',
    hasInlineArrays: true,
  },
];

/** The text that libraries put between the brackets of an empty object or array. */
const emptyForms: readonly (readonly [name: string, form: Partial<JsonLayout>])[] = [
  ['with a line break in empty lists and objects', { emptyArray: '\n', emptyObject: '\n' }],
  ['with a line break in empty objects', { emptyObject: '\n' }],
  ['with two line breaks in empty lists and objects', { emptyArray: '\n\n', emptyObject: '\n\n' }],
  ['with an indented line in empty lists and objects', { hasEmptyLine: true }],
  ['with a space in empty lists and objects', { inEmpty: ' ' }],
];

/** The layouts for a document: each in more forms if an object or array in it is empty. */
function layoutsFor(node: JsonNode): readonly JsonLayout[] {
  if (!hasEmpty(node)) return jsonLayouts;
  return [
    ...jsonLayouts,
    ...jsonLayouts
      .filter(({ indent, padding, emptyArray, inEmpty }) => {
        const isPlain = emptyArray === undefined && inEmpty === undefined;
        return isPlain && (indent === undefined ? padding !== undefined : indent !== '');
      })
      .flatMap((layout) =>
        emptyForms
          .filter(([, { inEmpty }]) => inEmpty !== undefined || layout.indent !== undefined)
          .map(([name, form]) => ({ ...layout, ...form, name: `${layout.name}, ${name}` })),
      ),
  ];
}

function hasEmpty(json: JsonNode): boolean {
  return nodesOf(json).some(
    (node) =>
      (node.kind === 'array' && node.items.length === 0) ||
      (node.kind === 'object' && node.members.length === 0),
  );
}

/** Recognizes a text's layout. Undefined if the table does not have it. */
export function layoutOf(text: string, node: JsonNode): JsonLayout | undefined {
  return layoutsFor(node).find((layout) => writeJsonText(node, { ...asReceived, layout }) === text);
}

/** Lists the other layouts. One-line layouts differ from each other in separators, the rest in white space. */
export function layoutAlternatives(
  usual: JsonLayout | undefined,
  node: JsonNode,
): readonly Alternative<JsonLayout | undefined>[] {
  const list = new Alternatives<JsonLayout | undefined>(usual);
  layoutsFor(node).forEach((layout, index) => {
    const isInLine = layout.indent === undefined && (usual === undefined || usual.indent === undefined);
    const hasSpaces = layout.comma === ', ' || usual?.comma === ', ';
    const code: FindingCode = isInLine && hasSpaces ? 'body_json_separators' : 'body_json_whitespace';
    list.add(layout, index < 4 ? 1 : index < 8 ? 2 : 3, code, layout.name);
  });
  return list.list;
}
