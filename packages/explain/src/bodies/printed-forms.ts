import { encodeBase64 } from '@countersign/signature';
import { hexadecimal } from '@countersign/signature/keys';
import { utf8Bytes } from '../byte-text.ts';
import { type Alternative, alternatives } from '../drafts/alternatives.ts';
import { decodedForm } from '../reading/url-parts.ts';
import { type JsonNode, readJsonText } from './json-text.ts';
import { goFloat } from './number-texts.ts';

/** Produces the text that was hashed instead of the body. Undefined if it cannot be produced. */
export type PrintedForm = (text: string, json: JsonNode | undefined) => string | undefined;

/** The sizes of buffers, columns and log lines. */
const cutLengths = [64, 100, 128, 255, 256, 512, 1000, 1024, 2000, 2048, 4096, 8192, 16_384, 65_536];

/** What people hash who do not hash what they send. */
export const printedForms: readonly Alternative<PrintedForm>[] = [
  ...alternatives<PrintedForm>('body_python_repr', [
    ["Python's str()", 1, (_, json) => json && pythonRepr(json)],
    ["Python's repr of bytes", 3, (text) => `b'${text}'`],
  ]),
  ...alternatives<PrintedForm>('body_form_encoded', [
    ['form encoding', 1, (_, json) => json && formOf(json, '+')],
    ['form encoding with %20', 2, (_, json) => json && formOf(json, '%20')],
    [
      'form encoding with brackets',
      1.5,
      (_, json) => json && nestedForm(json, (path, name) => `${path}[${name}]`),
    ],
    ['form encoding with dots', 2, (_, json) => json && nestedForm(json, (path, name) => `${path}.${name}`)],
    [
      'form encoding with [] for lists',
      2,
      (_, json) => json && nestedForm(json, (path, name) => `${path}[${/^\d+$/.test(name) ? '' : name}]`),
    ],
    [
      'form encoding with names repeated for lists',
      2,
      (_, json) => json && nestedForm(json, (path, name) => (/^\d+$/.test(name) ? path : `${path}[${name}]`)),
    ],
    [
      'the parameters sorted',
      2,
      (text, json) => (json || !text.includes('&') ? undefined : text.split('&').toSorted(byText).join('&')),
    ],
    ['the form with + for spaces', 2, (text, json) => (json ? undefined : text.replaceAll('%20', '+'))],
    ['the form with %20 for spaces', 2, (text, json) => (json ? undefined : text.replaceAll('+', '%20'))],
    ['JSON', 1, (text, json) => (json ? undefined : jsonOfForm(text, ':', ','))],
    ['JSON with spaces', 2, (text, json) => (json ? undefined : jsonOfForm(text, ': ', ', '))],
    ['the decoded form', 2, (text, json) => (json ? undefined : decodedForm(text))],
  ]),
  ...alternatives<PrintedForm>('body_json_twice', [
    ['a JSON string that holds the JSON', 1, (text) => JSON.stringify(text)],
    [
      'a JSON string with all but ASCII as \\u that holds the JSON',
      1.5,
      (text) => quotedText(text, /[\x7f-\uffff]/g),
    ],
    [
      'a JSON string with slashes as \\/ that holds the JSON',
      2,
      (text) => JSON.stringify(text).replace(/\//g, '\\/'),
    ],
    [
      'a JSON string with slashes as \\/ and all but ASCII as \\u that holds the JSON',
      1.5,
      (text) => quotedText(text, /[\x7f-\uffff]/g).replace(/\//g, '\\/'),
    ],
    [
      'a JSON string with <, > and & as \\u that holds the JSON',
      1.5,
      (text) => quotedText(text, /[<>&\u2028\u2029]/g),
    ],
    ['a JSON string as System.Text.Json writes it that holds the JSON', 2, netQuoted],
    ['a JSON string and a newline that hold the JSON', 2, (text) => `${JSON.stringify(text)}\n`],
    ['a JSON string that holds the Base64 of the JSON', 1.5, (text) => `"${encodeBase64(utf8Bytes(text))}"`],
    ['the JSON inside a JSON string', 2, innerJson],
  ]),
  ...alternatives<PrintedForm>('body_printed', [
    ['the name of a .NET class was hashed', 1.5, netClassName],
    ["Node's inspect in several lines was hashed", 2, (_, json) => json && nodeInspectLines(json)],
    ["Go's %v with floats was hashed", 2.5, (_, json) => json && goPrint(json, (raw) => goFloat(raw, 21))],
    ["PHP's serialize was hashed", 2.5, (_, json) => json && phpSerialize(json)],
    ["JavaScript's texts [object Object] were hashed", 2, objectTexts],
    ["Java's toString() was hashed", 2, (_, json) => json && javaString(json)],
    ["Ruby's inspect was hashed", 2, (_, json) => json && rubyInspect(json, ' => ')],
    ["Ruby's inspect was hashed", 2, (_, json) => json && rubyInspect(json, '=>')],
    ["Go's %v was hashed", 3, (_, json) => json && goPrint(json)],
    ["Ruby's inspect was hashed", 2, (_, json) => json && rubyInspect(json, ': ')],
    ["PHP's text Array was hashed", 2, () => 'Array'],
    ["Node's print of a Buffer was hashed", 3, bufferPrint],
    [
      "Node's print of a Buffer as JSON was hashed",
      3,
      (text) => JSON.stringify({ type: 'Buffer', data: [...utf8Bytes(text)] }),
    ],
    ["JavaScript's text [object Object] as JSON was hashed", 2, () => '"[object Object]"'],
    ["JavaScript's text [object Object] was hashed", 1, () => '[object Object]'],
    ["Node's inspect was hashed", 2, (_, json) => json && nodeInspect(json)],
  ]),
  ...alternatives<PrintedForm>('body_encoded', [
    ['Base64 of the body', 2, (text) => encodeBase64(utf8Bytes(text))],
    ['hex of the body', 3, (text) => hexadecimal(utf8Bytes(text))],
    ['the percent-encoded body', 3, (text) => encodeURIComponent(text.toWellFormed())],
    [
      'the body as a chunk of HTTP',
      3,
      (text) => `${utf8Bytes(text).length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
    ],
    [
      'the body with HTML entities',
      3,
      (text) =>
        text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;'),
    ],
    ['the body in lower case', 3, (text) => text.toLowerCase()],
  ]),
  ...alternatives<PrintedForm>('body_truncated', [
    ['all but the last character was hashed', 2, (text) => text.slice(0, -1)],
    ...cutLengths.map((length): readonly [string, number, PrintedForm] => [
      `only the first ${length} characters were hashed`,
      3,
      (text) => (text.length > length ? text.slice(0, length) : undefined),
    ]),
  ]),
  ...alternatives<PrintedForm>('body_json_whitespace', [
    ['all white space left out', 2, (text) => text.replace(/\s+/g, '')],
    ['the quotes left out', 4, (text) => text.replace(/"/g, '')],
  ]),
  ...alternatives<PrintedForm>('body_json_escapes', [
    ['single quotes', 3, (text) => text.replace(/"/g, "'")],
    ['quotes as \\"', 3, (text) => text.replace(/"/g, '\\"')],
  ]),
];

function pythonRepr(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return `{${node.members.map(({ name, value }) => `${pythonRepr(name)}: ${pythonRepr(value)}`).join(', ')}}`;
    case 'array':
      return `[${node.items.map(pythonRepr).join(', ')}]`;
    case 'string':
      return pythonString(node.value);
    case 'number':
      return node.raw;
    case 'literal':
      return { true: 'True', false: 'False', null: 'None' }[node.raw] ?? node.raw;
  }
}

function pythonString(value: string): string {
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const inner = value
    .replace(/\\/g, '\\\\')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
    .replace(/\t/g, '\\t')
    .replace(/[\x00-\x1f\x7f]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll(quote, `\\${quote}`);
  return quote + inner + quote;
}

function scalar(node: JsonNode): string | undefined {
  if (node.kind === 'string') return node.value;
  return node.kind === 'number' || node.kind === 'literal' ? node.raw : undefined;
}

function formOf(node: JsonNode, space: string): string | undefined {
  if (node.kind !== 'object') return undefined;
  const parts: string[] = [];
  for (const { name, value } of node.members) {
    const text = scalar(value);
    if (text === undefined) return undefined;
    parts.push(`${formText(name.value, space)}=${formText(text, space)}`);
  }
  return parts.join('&');
}

function formText(text: string, space: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%20/g, space);
}

function jsonOfForm(text: string, colon: string, comma: string): string | undefined {
  if (!/^[^=&\s{]+=[^&]*(?:&[^=&]+=[^&]*)*$/.test(text)) return undefined;
  const members = text.split('&').map((part) => {
    const [name = '', ...value] = part.split('=').map(decodedForm);
    return `${JSON.stringify(name)}${colon}${JSON.stringify(value.join('='))}`;
  });
  return `{${members.join(comma)}}`;
}

function quotedText(text: string, pattern: RegExp): string {
  return JSON.stringify(text).replace(
    pattern,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function netQuoted(text: string): string {
  return JSON.stringify(text)
    .replace(
      /[\x7f-\uffff<>&'+`]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    )
    .replace(/\\"/g, '\\u0022');
}

function innerJson(_: string, json: JsonNode | undefined): string | undefined {
  if (json?.kind !== 'string') return undefined;
  return readJsonText(json.value) ? json.value : undefined;
}

function javaString(node: JsonNode): string {
  if (node.kind === 'object')
    return `{${node.members.map(({ name, value }) => `${name.value}=${javaString(value)}`).join(', ')}}`;
  if (node.kind === 'array') return `[${node.items.map(javaString).join(', ')}]`;
  return scalar(node)!;
}

function rubyInspect(node: JsonNode, arrow: string): string {
  if (node.kind === 'object')
    return `{${node.members.map(({ name, value }) => `${JSON.stringify(name.value)}${arrow}${rubyInspect(value, arrow)}`).join(', ')}}`;
  if (node.kind === 'array') return `[${node.items.map((item) => rubyInspect(item, arrow)).join(', ')}]`;
  if (node.kind === 'string') return JSON.stringify(node.value);
  return node.raw === 'null' ? 'nil' : node.raw;
}

function goPrint(node: JsonNode, number: (raw: string) => string = (raw) => raw): string {
  if (node.kind === 'object') {
    const members = node.members.map(({ name, value }) => `${name.value}:${goPrint(value, number)}`);
    return `map[${members.toSorted().join(' ')}]`;
  }
  if (node.kind === 'array') return `[${node.items.map((item) => goPrint(item, number)).join(' ')}]`;
  if (node.kind === 'number') return number(node.raw);
  return node.kind === 'literal' && node.raw === 'null' ? '<nil>' : scalar(node)!;
}

/** Imitates `util.inspect` for output on a single line. */
function nodeInspect(node: JsonNode): string {
  if (node.kind === 'object') {
    if (node.members.length === 0) return '{}';
    const members = node.members.map(({ name, value }) => {
      const key = /^[A-Za-z_$][\w$]*$/.test(name.value) ? name.value : pythonString(name.value);
      return `${key}: ${nodeInspect(value)}`;
    });
    return `{ ${members.join(', ')} }`;
  }
  if (node.kind === 'array')
    return node.items.length === 0 ? '[]' : `[ ${node.items.map(nodeInspect).join(', ')} ]`;
  return node.kind === 'string' ? pythonString(node.value) : node.raw;
}

/** Imitates `util.inspect` for what does not fit on a line of 72 characters. */
function nodeInspectLines(node: JsonNode, depth = 0): string {
  const line = nodeInspect(node);
  const isLong =
    line.length + depth > inspectedLineMax || (node.kind === 'object' && depthOf(node) > inspectedDepthMax);
  if (!isLong || (node.kind !== 'object' && node.kind !== 'array')) return line;
  const inner = ' '.repeat(depth + 2);
  const parts =
    node.kind === 'array'
      ? node.items.map((item) => nodeInspectLines(item, depth + 2))
      : node.members.map(({ name, value }) => {
          const key = /^[A-Za-z_$][\w$]*$/.test(name.value) ? name.value : pythonString(name.value);
          return `${key}: ${nodeInspectLines(value, depth + 2)}`;
        });
  const [open, close] = node.kind === 'array' ? '[]' : '{}';
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${' '.repeat(depth)}${close}`;
}

const inspectedLineMax = 72;
/** Levels of objects that `util.inspect` puts in one line. */
const inspectedDepthMax = 3;

function depthOf(node: JsonNode): number {
  if (node.kind === 'array') return 1 + Math.max(0, ...node.items.map(depthOf));
  return node.kind === 'object' ? 1 + Math.max(0, ...node.members.map(({ value }) => depthOf(value))) : 0;
}

function netClassName(_: string, json: JsonNode | undefined): string | undefined {
  if (json?.kind === 'object') return 'System.Collections.Generic.Dictionary`2[System.String,System.Object]';
  return json?.kind === 'array' ? 'System.Object[]' : undefined;
}

function objectTexts(_: string, json: JsonNode | undefined): string | undefined {
  if (json?.kind !== 'array' || json.items.length < 2) return undefined;
  return json.items
    .map((item) => (item.kind === 'object' ? '[object Object]' : (scalar(item) ?? '')))
    .join(',');
}

function phpSerialize(node: JsonNode): string {
  const string = (value: string): string => `s:${utf8Bytes(value).length}:"${value}";`;
  const key = (name: string): string => (/^(?:0|[1-9]\d{0,17})$/.test(name) ? `i:${name};` : string(name));
  switch (node.kind) {
    case 'object':
      return `a:${node.members.length}:{${node.members.map(({ name, value }) => key(name.value) + phpSerialize(value)).join('')}}`;
    case 'array':
      return `a:${node.items.length}:{${node.items.map((item, index) => `i:${index};${phpSerialize(item)}`).join('')}}`;
    case 'string':
      return string(node.value);
    case 'number':
      return `${/[.eE]/.test(node.raw) ? 'd' : 'i'}:${node.raw};`;
    case 'literal':
      return { true: 'b:1;', false: 'b:0;', null: 'N;' }[node.raw] ?? node.raw;
  }
}

function bufferPrint(text: string): string {
  const bytes = utf8Bytes(text);
  const shown = hexadecimal(bytes.subarray(0, 50)).replace(/..(?=.)/g, '$& ');
  return `<Buffer ${shown}${bytes.length > 50 ? ` ... ${bytes.length - 50} more bytes` : ''}>`;
}

/** Form encoding of nested values, whose names `nest` joins. */
function nestedForm(node: JsonNode, nest: (path: string, name: string) => string): string | undefined {
  if (node.kind !== 'object') return undefined;
  const parts: string[] = [];
  const walk = (one: JsonNode, path: string): void => {
    if (one.kind === 'object')
      for (const { name, value } of one.members)
        walk(value, path === '' ? name.value : nest(path, name.value));
    else if (one.kind === 'array') one.items.forEach((item, index) => walk(item, nest(path, String(index))));
    else {
      const text = scalar(one)!;
      const value = one.kind === 'literal' && text === 'null' ? '' : text;
      parts.push(`${formText(path, '+')}=${formText(value, '+')}`);
    }
  };
  walk(node, '');
  return parts.join('&');
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
