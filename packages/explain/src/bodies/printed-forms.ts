import { encodeBase64 } from '@countersign/signature';
import { hexadecimal } from '@countersign/signature/keys';
import { utf8Bytes } from '../byte-text.ts';
import { type Alternative, alternatives } from '../drafts/alternatives.ts';
import type { Words } from '../findings/finding.ts';
import { decodedForm } from '../reading/url-parts.ts';
import { type JsonNode, readJsonText } from './json-text.ts';
import { goFloat } from './number-texts.ts';

/** Produces the text that was hashed instead of the body. Undefined if it cannot be produced. */
export type PrintedForm = (text: string, json: JsonNode | undefined) => string | undefined;

/** The sizes of buffers, columns and log lines. */
const cutLengths = [64, 100, 128, 255, 256, 512, 1000, 1024, 2000, 2048, 4096, 8192, 16_384, 65_536];

const hashed = (subject: string): Words => ({ subject });
const printed = (subject: string, mend: string): Words => ({ subject, mend });
const inspected = printed(
  "what Node's util.inspect and console.log print for the object",
  'Hash the text that JSON.stringify returns, and send it.',
);
const objectText = printed(
  'the text [object Object], which JavaScript makes of an object',
  'Hash the text that JSON.stringify returns, and send it.',
);
const bufferText = printed('what Node prints for a Buffer', 'Hash the bytes of the Buffer, not its text.');
const goPrinted = printed(
  "what Go's fmt prints for the map",
  'Hash the bytes that json.Marshal returns, and send them.',
);
const rubyInspected = printed(
  "what Ruby's inspect and to_s return for the hash",
  'Hash the text that to_json returns, and send it.',
);
const hashedTwice: Words = {
  what: 'You hashed the JSON serialized twice, as a JSON string, but sent it serialized once.',
  mend: 'Serialize once, then hash and send that text: pass the object to the serializer, not its JSON text.',
};
/** The body is a JSON string that contains JSON. */
export const sentTwice: Words = {
  subject: 'the JSON inside it',
  what: 'The body that you sent is a JSON string that contains JSON: it was serialized twice, but hashed serialized once.',
  mend: 'Pass the object to the HTTP client, not its JSON text, or send that text as it is.',
};

/** What people hash who do not hash what they send. */
export const printedForms: readonly Alternative<PrintedForm>[] = [
  ...alternatives<PrintedForm>('body_python_repr', [
    [hashed("what Python's str() prints for the object"), 1, (_, json) => json && pythonRepr(json)],
    [
      printed(
        "what Python prints for the bytes, b'…'",
        'Hash the bytes themselves, not the text that Python prints for them.',
      ),
      3,
      (text) => `b'${text}'`,
    ],
  ]),
  ...alternatives<PrintedForm>('body_form_encoded', [
    [hashed('the same values, form-encoded'), 1, (_, json) => json && formOf(json, '+')],
    [
      hashed('the same values, form-encoded with %20 for spaces'),
      2,
      (_, json) => json && formOf(json, '%20'),
    ],
    [
      hashed('the same values, form-encoded with brackets in the names'),
      1.5,
      (_, json) => json && nestedForm(json, (path, name) => `${path}[${name}]`),
    ],
    [
      hashed('the same values, form-encoded with dots in the names'),
      2,
      (_, json) => json && nestedForm(json, (path, name) => `${path}.${name}`),
    ],
    [
      hashed('the same values, form-encoded with [] for lists'),
      2,
      (_, json) => json && nestedForm(json, (path, name) => `${path}[${/^\d+$/.test(name) ? '' : name}]`),
    ],
    [
      hashed('the same values, form-encoded with the names of lists repeated'),
      2,
      (_, json) => json && nestedForm(json, (path, name) => (/^\d+$/.test(name) ? path : `${path}[${name}]`)),
    ],
    [
      'with its fields sorted',
      2,
      (text, json) => (json || !text.includes('&') ? undefined : text.split('&').toSorted(byText).join('&')),
    ],
    ['with + for spaces', 2, (text, json) => (json ? undefined : text.replaceAll('%20', '+'))],
    ['with %20 for spaces', 2, (text, json) => (json ? undefined : text.replaceAll('+', '%20'))],
    [hashed('the same values as JSON'), 1, (text, json) => (json ? undefined : jsonOfForm(text, ':', ','))],
    [
      hashed('the same values as JSON, with a space after each comma and colon'),
      2,
      (text, json) => (json ? undefined : jsonOfForm(text, ': ', ', ')),
    ],
    [
      hashed('the form before it was percent-encoded'),
      2,
      (text, json) => (json ? undefined : decodedForm(text)),
    ],
  ]),
  ...alternatives<PrintedForm>('body_json_twice', [
    [hashedTwice, 1, (text) => JSON.stringify(text)],
    [hashedTwice, 1.5, (text) => quotedText(text, /[\x7f-\uffff]/g)],
    [hashedTwice, 2, (text) => JSON.stringify(text).replace(/\//g, '\\/')],
    [hashedTwice, 1.5, (text) => quotedText(text, /[\x7f-\uffff]/g).replace(/\//g, '\\/')],
    [hashedTwice, 1.5, (text) => quotedText(text, /[<>&\u2028\u2029]/g)],
    [hashedTwice, 2, netQuoted],
    [hashedTwice, 2, (text) => `${JSON.stringify(text)}\n`],
    [
      hashed('a JSON string that holds the Base64 of the JSON'),
      1.5,
      (text) => `"${encodeBase64(utf8Bytes(text))}"`,
    ],
    [sentTwice, 2, innerJson],
  ]),
  ...alternatives<PrintedForm>('body_printed', [
    [
      printed(
        'the name of the .NET class, as ToString() returns it',
        'Hash the text that JsonSerializer.Serialize returns, and send it.',
      ),
      1.5,
      netClassName,
    ],
    [inspected, 2, (_, json) => json && nodeInspectLines(json)],
    [goPrinted, 2.5, (_, json) => json && goPrint(json, (raw) => goFloat(raw, 21))],
    [
      printed(
        "what PHP's serialize() returns for the object",
        'Hash the text that json_encode returns, and send it.',
      ),
      2.5,
      (_, json) => json && phpSerialize(json),
    ],
    [objectText, 2, objectTexts],
    [
      printed(
        "what Java's toString() returns for the object",
        'Hash the JSON text that is sent, not the object it was made from.',
      ),
      2,
      (_, json) => json && javaString(json),
    ],
    [rubyInspected, 2, (_, json) => json && rubyInspect(json, ' => ')],
    [rubyInspected, 2, (_, json) => json && rubyInspect(json, '=>')],
    [goPrinted, 3, (_, json) => json && goPrint(json)],
    [rubyInspected, 2, (_, json) => json && rubyInspect(json, ': ')],
    [
      printed(
        'the text Array, which PHP makes of an array',
        'Hash the text that json_encode returns, and send it.',
      ),
      2,
      () => 'Array',
    ],
    [bufferText, 3, bufferPrint],
    [bufferText, 3, (text) => JSON.stringify({ type: 'Buffer', data: [...utf8Bytes(text)] })],
    [objectText, 2, () => '"[object Object]"'],
    [objectText, 1, () => '[object Object]'],
    [inspected, 2, (_, json) => json && nodeInspect(json)],
  ]),
  ...alternatives<PrintedForm>('body_encoded', [
    [hashed('the Base64 of the body'), 2, (text) => encodeBase64(utf8Bytes(text))],
    [hashed('the body in hex'), 3, (text) => hexadecimal(utf8Bytes(text))],
    [hashed('the percent-encoded body'), 3, (text) => encodeURIComponent(text.toWellFormed())],
    [
      hashed('the body with its HTTP chunk sizes'),
      3,
      (text) => `${utf8Bytes(text).length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
    ],
    [
      hashed('the body with HTML entities'),
      3,
      (text) =>
        text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;'),
    ],
    [hashed('the body in lower case'), 3, (text) => text.toLowerCase()],
  ]),
  ...alternatives<PrintedForm>('body_truncated', [
    [hashed('all but the last character of the body'), 2, (text) => text.slice(0, -1)],
    ...cutLengths.map((length): readonly [Words, number, PrintedForm] => [
      hashed(`only the first ${length} characters of the body`),
      3,
      (text) => (text.length > length ? text.slice(0, length) : undefined),
    ]),
  ]),
  ...alternatives<PrintedForm>('body_json_whitespace', [
    ['without any white space', 2, (text) => text.replace(/\s+/g, '')],
    ['without its quotes', 4, (text) => text.replace(/"/g, '')],
  ]),
  ...alternatives<PrintedForm>('body_json_escapes', [
    ['with single quotes', 3, (text) => text.replace(/"/g, "'")],
    ['with its quotes as \\"', 3, (text) => text.replace(/"/g, '\\"')],
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
