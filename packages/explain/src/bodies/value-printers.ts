import { utf8Bytes } from '../byte-text.ts';
import { type Alternative, alternatives } from '../drafts/alternatives.ts';
import type { Words } from '../findings/finding.ts';
import type { JsonMember, JsonNode } from './json-text.ts';
import { goFloat } from './number-texts.ts';

/** Prints a value as a language does. Undefined if that makes no sense. */
export type ValuePrinter = (node: JsonNode) => string | undefined;

const hashed = (subject: string): Words => ({ subject });
const printed = (subject: string, mend: string): Words => ({ subject, mend });
const inspected = printed(
  "what Node's util.inspect and console.log print for the object",
  'Hash the text that JSON.stringify returns, and send it.',
);
const goPrinted = printed(
  "what Go's fmt prints for the map",
  'Hash the bytes that json.Marshal returns, and send them.',
);
const rubyInspected = printed(
  "what Ruby's inspect and to_s return for a Hash",
  'Hash the text that to_json returns, and send it.',
);
const phpPrinted = (name: string): Words =>
  printed(`what PHP's ${name} prints for the array`, 'Hash the text that json_encode returns, and send it.');
const named = (language: string): Words =>
  printed(
    `what ${language} prints for the object`,
    'Hash the JSON text that is sent, not the object it was made from.',
  );

/** Texts that callers hash when they print an object instead of serializing it. */
export const valuePrinters: readonly Alternative<ValuePrinter>[] = [
  ...alternatives<ValuePrinter>('body_python_repr', [
    [hashed("what Python's str() prints for the object"), 1, pythonRepr],
  ]),
  ...alternatives<ValuePrinter>('body_form_encoded', [
    [hashed('the same values, form-encoded'), 1, (node) => formOf(node, '+')],
    [hashed('the same values, form-encoded with %20 for spaces'), 2, (node) => formOf(node, '%20')],
    [
      hashed('the same values, form-encoded with brackets in the names'),
      1.5,
      (node) => nestedForm(node, (path, name) => `${path}[${name}]`),
    ],
    [
      hashed('the same values, form-encoded with dots in the names'),
      2,
      (node) => nestedForm(node, (path, name) => `${path}.${name}`),
    ],
    [
      hashed('the same values, form-encoded with [] for lists'),
      2,
      (node) => nestedForm(node, (path, name) => `${path}[${/^\d+$/.test(name) ? '' : name}]`),
    ],
    [
      hashed('the same values, form-encoded with the names of lists repeated'),
      2,
      (node) => nestedForm(node, (path, name) => (/^\d+$/.test(name) ? path : `${path}[${name}]`)),
    ],
  ]),
  ...alternatives<ValuePrinter>('body_printed', [
    [
      printed(
        'the .NET class name that ToString() returns',
        'Hash the text that JsonSerializer.Serialize returns, and send it.',
      ),
      1.5,
      netClassName,
    ],
    [inspected, 2, (node) => nodeInspectLines(node)],
    [inspected, 2, nodeInspect],
    [goPrinted, 2, (node) => goPrint(node, (raw) => goFloat(raw, 6))],
    [goPrinted, 2.5, (node) => goPrint(node)],
    [goPrinted, 3, (node) => goStruct(node, false)],
    [goPrinted, 3, (node) => goStruct(node, true)],
    [phpPrinted('serialize()'), 2.5, phpSerialize],
    [phpPrinted('print_r()'), 2, (node) => phpPrint(node, '')],
    [phpPrinted('var_export()'), 2.5, (node) => phpExport(node, '')],
    [phpPrinted('var_dump()'), 3, (node) => phpDump(node, '')],
    [
      printed(
        'the text [object Object], which JavaScript turns an object into',
        'Hash the text that JSON.stringify returns, and send it.',
      ),
      2,
      objectTexts,
    ],
    [
      printed(
        "what Java's toString() returns for the object",
        'Hash the JSON text that is sent, not the object it was made from.',
      ),
      2,
      javaString,
    ],
    [rubyInspected, 2, (node) => rubyInspect(node, ({ raw }) => `${raw} => `)],
    [rubyInspected, 2, (node) => rubyInspect(node, ({ raw }) => `${raw}=>`)],
    [rubyInspected, 2, (node) => rubyInspect(node, ({ value }) => `${value}: `)],
    [rubyInspected, 2, (node) => rubyInspect(node, ({ value }) => `:${value}=>`)],
    [
      printed(
        'what PowerShell makes of the object in a string',
        'Hash the text that ConvertTo-Json returns, and send it.',
      ),
      2.5,
      (node) => plainly(node, { open: '@{', is: '=', comma: '; ', close: '}', list: ['', ' ', ''] }),
    ],
    [
      named('.NET'),
      3,
      (node) => plainly(node, { open: '{ ', is: ' = ', comma: ', ', close: ' }', list: ['[', ', ', ']'] }),
    ],
    [
      named('Dart'),
      3,
      (node) => plainly(node, { open: '{', is: ': ', comma: ', ', close: '}', list: ['[', ', ', ']'] }),
    ],
    [
      named('Scala'),
      3,
      (node) =>
        plainly(node, { open: 'Map(', is: ' -> ', comma: ', ', close: ')', list: ['List(', ', ', ')'] }),
    ],
    [
      named('Groovy'),
      3,
      (node) => plainly(node, { open: '[', is: ':', comma: ', ', close: ']', list: ['[', ', ', ']'] }),
    ],
    [
      named('Swift'),
      3,
      (node) => quotedly(node, { open: '[', is: ': ', comma: ', ', close: ']', list: ['[', ', ', ']'] }),
    ],
    [
      named('Elixir'),
      3,
      (node) => quotedly(node, { open: '%{', is: ' => ', comma: ', ', close: '}', list: ['[', ', ', ']'] }),
    ],
    [
      named('Clojure'),
      3,
      (node) => quotedly(node, { open: '{', is: ' ', comma: ', ', close: '}', list: ['[', ' ', ']'] }),
    ],
    [printed('the same values as YAML', 'Hash the JSON text that is sent.'), 3, (node) => yaml(node, '')],
  ]),
];

function pythonRepr(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return `{${node.members.map(({ name, value }) => `${pythonString(name.value)}: ${pythonRepr(value)}`).join(', ')}}`;
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
  return quotedIn(value, value.includes("'") && !value.includes('"') ? '"' : "'", (unit) => {
    const code = unit.codePointAt(0)!;
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code < 0x10000
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : `\\U${code.toString(16).padStart(8, '0')}`;
  });
}

/** Quotes a text and escapes unprintable characters. */
function quotedIn(value: string, quote: string, escape: (character: string) => string): string {
  const inner = value
    .replace(/\\/g, '\\\\')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
    .replace(/\t/g, '\\t')
    .replace(/(?! )[\p{C}\p{Z}]/gu, escape)
    .replaceAll(quote, `\\${quote}`);
  return quote + inner + quote;
}

function nodeString(value: string): string {
  const quote = ["'", '"', '`'].find((one) => !value.includes(one)) ?? "'";
  const inner = value
    .replace(/[\n\t\b\f\r\\]/g, (character) => JSON.stringify(character).slice(1, -1))
    .replace(
      /[\x00-\x1f\x7f-\x9f]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
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

function javaString(node: JsonNode): string {
  if (node.kind === 'object')
    return `{${node.members.map(({ name, value }) => `${name.value}=${javaString(value)}`).join(', ')}}`;
  if (node.kind === 'array') return `[${node.items.map(javaString).join(', ')}]`;
  return scalar(node)!;
}

function rubyInspect(node: JsonNode, key: (name: { raw: string; value: string }) => string): string {
  if (node.kind === 'object')
    return `{${node.members.map(({ name, value }) => key({ raw: rubyString(name.value), value: name.value }) + rubyInspect(value, key)).join(', ')}}`;
  if (node.kind === 'array') return `[${node.items.map((item) => rubyInspect(item, key)).join(', ')}]`;
  if (node.kind === 'string') return rubyString(node.value);
  return node.raw === 'null' ? 'nil' : node.raw;
}

function rubyString(value: string): string {
  return quotedIn(value, '"', (unit) => {
    const code = unit.codePointAt(0)!;
    const short = { 7: '\\a', 8: '\\b', 11: '\\v', 12: '\\f', 27: '\\e' }[code];
    return short ?? `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
  }).replace(/#(?=[{$@])/g, '\\#');
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

function goStruct(node: JsonNode, isNamed: boolean): string | undefined {
  if (node.kind !== 'object') return undefined;
  const parts = node.members.map(({ name: { value: name }, value }) => {
    const text = value.kind === 'object' ? (goStruct(value, isNamed) ?? '') : goPrint(value);
    return isNamed ? `${name.charAt(0).toUpperCase()}${name.slice(1)}:${text}` : text;
  });
  return `{${parts.join(' ')}}`;
}

/** Imitates `util.inspect` for output on a single line. */
function nodeInspect(node: JsonNode): string {
  if (node.kind === 'object') {
    if (node.members.length === 0) return '{}';
    const members = node.members.map(({ name, value }) => {
      const key = /^[A-Za-z_$][\w$]*$/.test(name.value) ? name.value : nodeString(name.value);
      return `${key}: ${nodeInspect(value)}`;
    });
    return `{ ${members.join(', ')} }`;
  }
  if (node.kind === 'array')
    return node.items.length === 0 ? '[]' : `[ ${node.items.map(nodeInspect).join(', ')} ]`;
  return node.kind === 'string' ? nodeString(node.value) : node.raw;
}

/** Imitates `util.inspect` for values that do not fit on a line of 72 characters. */
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
          const key = /^[A-Za-z_$][\w$]*$/.test(name.value) ? name.value : nodeString(name.value);
          return `${key}: ${nodeInspectLines(value, depth + 2)}`;
        });
  const [open, close] = node.kind === 'array' ? '[]' : '{}';
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${' '.repeat(depth)}${close}`;
}

const inspectedLineMax = 72;
/** Levels of objects that `util.inspect` puts on one line. */
const inspectedDepthMax = 3;

function depthOf(node: JsonNode): number {
  if (node.kind === 'array') return 1 + Math.max(0, ...node.items.map(depthOf));
  return node.kind === 'object' ? 1 + Math.max(0, ...node.members.map(({ value }) => depthOf(value))) : 0;
}

function netClassName(json: JsonNode): string | undefined {
  if (json.kind === 'object') return 'System.Collections.Generic.Dictionary`2[System.String,System.Object]';
  return json.kind === 'array' ? 'System.Object[]' : undefined;
}

function objectTexts(json: JsonNode): string | undefined {
  if (json.kind !== 'array' || json.items.length < 2) return undefined;
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

/** The members of an object or an array, whose keys are numbers. */
function entriesOf(
  node: JsonNode,
): readonly (readonly [key: string | number, value: JsonNode])[] | undefined {
  if (node.kind === 'array') return node.items.map((item, index) => [index, item]);
  if (node.kind !== 'object') return undefined;
  return node.members.map(({ name, value }) => [phpKey(name), value]);
}

function phpKey({ value }: JsonMember['name']): string | number {
  return /^(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
}

function phpPrint(node: JsonNode, before: string): string {
  const entries = entriesOf(node);
  if (!entries) return node.kind === 'literal' ? (node.raw === 'true' ? '1' : '') : scalar(node)!;
  const lines = entries.map(
    ([key, value]) => `${before}    [${key}] => ${phpPrint(value, `${before}        `)}\n`,
  );
  return `Array\n${before}(\n${lines.join('')}${before})\n`;
}

function phpExport(node: JsonNode, before: string): string {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
  const entries = entriesOf(node);
  if (!entries) return node.kind === 'string' ? quoted(node.value) : scalar(node)!.replace('null', 'NULL');
  const lines = entries.map(([key, value]) => {
    const start = `${before}  ${typeof key === 'number' ? key : quoted(key)} => `;
    const line = entriesOf(value) ? `\n${before}  ` : '';
    return `${start}${line}${phpExport(value, `${before}  `)},\n`;
  });
  return `array (\n${lines.join('')}${before})`;
}

function phpDump(node: JsonNode, before: string): string {
  const entries = entriesOf(node);
  if (entries) {
    const lines = entries.map(
      ([key, value]) =>
        `${before}  [${typeof key === 'number' ? key : `"${key}"`}]=>\n${phpDump(value, `${before}  `)}`,
    );
    return `${before}array(${entries.length}) {\n${lines.join('')}${before}}\n`;
  }
  const text = scalar(node)!;
  if (node.kind === 'string') return `${before}string(${utf8Bytes(text).length}) "${text}"\n`;
  if (node.kind === 'number') return `${before}${/[.eE]/.test(text) ? 'float' : 'int'}(${text})\n`;
  return `${before}${text === 'null' ? 'NULL' : `bool(${text})`}\n`;
}

interface Marks {
  readonly open: string;
  readonly is: string;
  readonly comma: string;
  readonly close: string;
  readonly list: readonly [open: string, comma: string, close: string];
}

/** Without quotes around names and strings. */
function plainly(node: JsonNode, marks: Marks): string {
  return between(
    node,
    marks,
    (name) => name,
    (one) => scalar(one)!,
  );
}

function quotedly(node: JsonNode, marks: Marks): string {
  const write = (one: JsonNode): string =>
    one.kind === 'string' ? JSON.stringify(one.value) : scalar(one)!.replace('null', 'nil');
  return between(node, marks, (name) => JSON.stringify(name), write);
}

function between(
  node: JsonNode,
  marks: Marks,
  nameOf: (name: string) => string,
  write: (node: JsonNode) => string,
): string {
  const { open, is, comma, close, list } = marks;
  const inner = (one: JsonNode): string => between(one, marks, nameOf, write);
  if (node.kind === 'object')
    return (
      open + node.members.map(({ name, value }) => nameOf(name.value) + is + inner(value)).join(comma) + close
    );
  if (node.kind === 'array') return list[0] + node.items.map(inner).join(list[1]) + list[2];
  return write(node);
}

/** The block style of YAML, for plain texts. */
function yaml(node: JsonNode, before: string): string | undefined {
  if (node.kind !== 'object') return undefined;
  let text = '';
  for (const { name, value } of node.members) {
    const inner =
      value.kind === 'object' && value.members.length > 0 ? yaml(value, `${before}  `) : undefined;
    const plain = value.kind === 'array' ? undefined : scalar(value);
    if (inner === undefined && plain === undefined) return undefined;
    text += `${before}${name.value}:${inner === undefined ? ` ${plain}\n` : `\n${inner}`}`;
  }
  return text;
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
