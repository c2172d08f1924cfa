import { type Alternative, alternative } from '../drafts/alternatives.ts';
import type { Words } from '../findings/finding.ts';
import { type JsonMember, type JsonNode, readJsonText, writeJsonText } from './json-text.ts';
import type { ValuePrinter } from './value-printers.ts';

/** The differences between a format that people write by hand and JSON. */
interface Dialect {
  readonly name: (value: string) => string;
  readonly string: (value: string) => string;
  /** True if a comma follows the last of several lines. */
  readonly hasLastComma?: boolean;
  readonly usualLines: readonly Lines[];
}

interface Lines {
  readonly indent?: string;
  readonly comma: string;
  readonly colon: string;
  readonly padding?: string;
}

/** Lists what JSON5, JavaScript, Hjson and compressing serializers write for the same values. */
export function relaxedForms(): readonly Alternative<ValuePrinter>[] {
  return [
    ...dialects.flatMap((dialect) =>
      dialect.usualLines.map((layout) => form(2, (node) => writeRelaxed(node, dialect, layout, ''))),
    ),
    form(2, (node) => writeHjson(node, '')),
  ];
}

/** Lists each of these formats in every layout: too many to combine with other mistakes. */
export function rareRelaxedForms(): readonly Alternative<ValuePrinter>[] {
  return dialects.flatMap((dialect) =>
    everyLines
      .filter((layout) => !dialect.usualLines.includes(layout) && !(dialect.hasLastComma && !layout.indent))
      .map((layout) => form(3, (node) => writeRelaxed(node, dialect, layout, ''))),
  );
}

function form(cost: number, write: (node: JsonNode) => string): Alternative<ValuePrinter> {
  return alternative('body_printed', words, cost, (node) => {
    const text = write(node);
    // A list of numbers is the same in all of them.
    return readJsonText(text) ? undefined : text;
  });
}

const words: Words = {
  subject: 'the same values as JSON5, Hjson or a JavaScript literal',
  mend: 'Hash the JSON text that is sent: JSON has double quotes around every name and string.',
};

/** Reads the same formats. Undefined for JSON itself and for everything else. */
export function jsonOfRelaxed(text: string): string | undefined {
  if (text.length > lengthMax || !/^\s*[{[]/.test(text)) return undefined;
  for (const ending of [/[,\]}\n]/g, /\n/g]) {
    const reader = new RelaxedReader(text, ending);
    const node = reader.value(0);
    if (node && reader.isAtEnd)
      return writeJsonText(node, {
        layout: { name: '', comma: ',', colon: ':' },
        order: (members) => members,
        string: ({ raw }) => raw,
        number: (raw) => raw,
      });
  }
  return undefined;
}

const lengthMax = 16 * 1024;
const depthMax = 32;

const identifier = /^[A-Za-z_$][\w$]*$/;
const quoted = (value: string): string => JSON.stringify(value);
const ascii = (text: string): string =>
  text.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const nameOf =
  (quote: (value: string) => string) =>
  (value: string): string =>
    identifier.test(value) ? value : quote(value);
const inSingle = (value: string): string =>
  `'${quoted(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
/** JSON5 uses the kind of quotes that occurs less often in the text. */
const inFewer = (value: string): string =>
  ((value.match(/'/g)?.length ?? 0) > (value.match(/"/g)?.length ?? 0) ? quoted(value) : inSingle(value))
    .replace(/\\u0000(?!\d)/g, '\\0')
    .replaceAll('\\u000b', '\\v')
    .replace(/\\u00([01][\da-f])/g, '\\x$1')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
const inAscii = (value: string): string =>
  ascii(quoted(value))
    .replace(/\\u0000(?!\d)/g, '\\0')
    .replaceAll('\\u000b', '\\v')
    .replaceAll('\\u007f', '\x7f');
/** Follows json-smart, whose reader takes such text for a string. */
const unquoted = (value: string): string =>
  needsQuotes.test(value)
    ? quoted(value)
        .replace(
          /[\x7f-\x9f\u2000-\u20ff]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
        .replace(/\\u[\da-f]{4}/g, (escape) => `\\u${escape.slice(2).toUpperCase()}`)
    : value;
const needsQuotes =
  /^$|^[\s{[,}\]:'"]|[\]},:\x00-\x1f\x7f-\x9f\u2000-\u20ff]|\s$|^(?:true|false|null|nan|-?\d+(?:\.\d*)?(?:e[+-]?\d+)?)$/i;

const compact: Lines = { comma: ',', colon: ':' };
const spaced: Lines = { comma: ', ', colon: ': ' };
const indented: Lines = { indent: '  ', comma: ',', colon: ': ' };
const tabbed: Lines = { indent: '\t', comma: ',', colon: ': ' };
const everyLines: readonly Lines[] = [
  compact,
  spaced,
  indented,
  tabbed,
  { indent: '    ', comma: ',', colon: ': ' },
  { comma: ', ', colon: ': ', padding: ' ' },
];

const dialects: readonly Dialect[] = [
  // JSON5's libraries for JavaScript and for Python.
  { name: nameOf(inFewer), string: inFewer, hasLastComma: true, usualLines: [compact, indented] },
  { name: nameOf(inAscii), string: inAscii, hasLastComma: true, usualLines: [spaced, indented] },
  { name: inAscii, string: inAscii, hasLastComma: true, usualLines: [indented] },
  // JavaScript as formatters write it.
  { name: nameOf(inSingle), string: inSingle, usualLines: [tabbed, indented] },
  { name: nameOf(inSingle), string: inSingle, hasLastComma: true, usualLines: [] },
  { name: nameOf(quoted), string: quoted, usualLines: [compact, spaced] },
  { name: nameOf(quoted), string: quoted, hasLastComma: true, usualLines: [] },
  { name: nameOf(inAscii), string: inAscii, usualLines: [] },
  { name: quoted, string: quoted, hasLastComma: true, usualLines: [] },
  { name: inSingle, string: inSingle, usualLines: [] },
  // Serializers that omit what they can.
  { name: unquoted, string: unquoted, usualLines: [compact] },
];

function writeRelaxed(node: JsonNode, dialect: Dialect, layout: Lines, before: string): string {
  if (node.kind === 'string') return dialect.string(node.value);
  if (node.kind !== 'array' && node.kind !== 'object') return node.raw;
  const { indent, comma, colon, padding = '' } = layout;
  const start = before + (indent ?? '');
  const parts =
    node.kind === 'array'
      ? node.items.map((item) => writeRelaxed(item, dialect, layout, start))
      : node.members.map(
          ({ name, value }) => dialect.name(name.value) + colon + writeRelaxed(value, dialect, layout, start),
        );
  const [open, close] = node.kind === 'array' ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  if (indent === undefined) return open + padding + parts.join(comma) + padding + close;
  const last = dialect.hasLastComma ? ',' : '';
  return `${open}\n${start}${parts.join(`${comma}\n${start}`)}${last}\n${before}${close}`;
}

/** Lines without commas, and brackets on lines of their own. */
function writeHjson(node: JsonNode, before: string): string {
  if (node.kind === 'string') return hjsonString(node.value);
  if (node.kind !== 'array' && node.kind !== 'object') return node.raw;
  const [open, close] = node.kind === 'array' ? '[]' : '{}';
  const start = `${before}  `;
  const isLong = (value: JsonNode): boolean =>
    (value.kind === 'array' && value.items.length > 0) ||
    (value.kind === 'object' && value.members.length > 0);
  const parts =
    node.kind === 'array'
      ? node.items.map((item) => writeHjson(item, start))
      : node.members.map(({ name, value }) => {
          const key = /[\s,:{}[\]"'#]|\/[/*]|^$/.test(name.value) ? quoted(name.value) : name.value;
          return `${key}:${isLong(value) ? `\n${start}` : ' '}${writeHjson(value, start)}`;
        });
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.map((part) => `${start}${part}\n`).join('')}${before}${close}`;
}

function hjsonString(value: string): string {
  const isPlain =
    !/^$|^[\s{}[\],:"'#]|^\/[/*]|\s$|[\x00-\x1f\x7f-\x9f\xad\u0600-\u0604\u070f\u17b4\u17b5\u200c-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff0-\uffff]/.test(
      value,
    ) && !/^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(?:$|[,\]}#]|\/[/*])/.test(value);
  return isPlain
    ? value
    : quoted(value).replace(
        /[\x7f-\x9f\u2028\u2029]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
}

/** Reads values whose names and strings have any quotes or none, with commas or line breaks between them. */
class RelaxedReader {
  readonly #text: string;
  readonly #ending: RegExp;
  #position = 0;

  /** `ending` matches the end of a string without quotes. */
  constructor(text: string, ending: RegExp) {
    this.#text = text;
    this.#ending = ending;
  }

  get isAtEnd(): boolean {
    this.#skip();
    return this.#position === this.#text.length;
  }

  value(depth: number): JsonNode | undefined {
    this.#skip();
    if (depth > depthMax) return undefined;
    switch (this.#text[this.#position]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
      case "'":
        return this.#quoted();
      default:
        return this.#plain();
    }
  }

  #object(depth: number): JsonNode | undefined {
    const members: JsonMember[] = [];
    this.#position++;
    for (;;) {
      this.#skip();
      if (this.#take('}')) return { kind: 'object', members };
      const name = this.#name();
      if (!name || !this.#take(':')) return undefined;
      const value = this.value(depth + 1);
      if (!value || !this.#separator('}')) return undefined;
      members.push({ name, value });
    }
  }

  #array(depth: number): JsonNode | undefined {
    const items: JsonNode[] = [];
    this.#position++;
    for (;;) {
      this.#skip();
      if (this.#take(']')) return { kind: 'array', items };
      const item = this.value(depth + 1);
      if (!item || !this.#separator(']')) return undefined;
      items.push(item);
    }
  }

  /** A comma, a line break, or the next bracket. */
  #separator(close: string): boolean {
    const before = this.#position;
    this.#skip();
    if (this.#take(',') || this.#text[this.#position] === close) return true;
    return this.#text.slice(before, this.#position).includes('\n') || this.#text[before - 1] === '\n';
  }

  #name(): JsonMember['name'] | undefined {
    const text = this.#text[this.#position];
    if (text === '"' || text === "'") return this.#quoted();
    const [name = ''] =
      /^[^\s:,{}[\]"']{1,256}/.exec(this.#text.slice(this.#position, this.#position + 257)) ?? [];
    this.#position += name.length;
    return name === '' ? undefined : stringOf(name);
  }

  #quoted(): JsonMember['name'] | undefined {
    const quote = this.#text[this.#position]!;
    const pattern = quote === '"' ? /"(?:[^"\\]|\\.)*"/sy : /'(?:[^'\\]|\\.)*'/sy;
    pattern.lastIndex = this.#position;
    const raw = pattern.exec(this.#text)?.[0];
    if (raw === undefined) return undefined;
    this.#position += raw.length;
    return stringOf(
      raw.slice(1, -1).replace(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r\n|.))/gs, unescaped),
    );
  }

  #plain(): JsonNode | undefined {
    this.#ending.lastIndex = this.#position;
    const end = this.#ending.exec(this.#text)?.index ?? this.#text.length;
    // In a line of its own, a number or literal can still be followed by a comma or a bracket.
    const text = this.#text.slice(this.#position, end).trim();
    if (text === '') return undefined;
    this.#position = end;
    if (/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return { kind: 'number', raw: text };
    const literal = literals[text];
    return literal === undefined ? stringOf(text) : { kind: 'literal', raw: literal };
  }

  #take(character: string): boolean {
    this.#skip();
    if (this.#text[this.#position] !== character) return false;
    this.#position++;
    return true;
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#position] ?? '')) this.#position++;
  }
}

function unescaped(_: string, unit?: string, byte?: string, other?: string): string {
  if (other === undefined) return String.fromCharCode(Number.parseInt(unit ?? byte ?? '0', 16));
  return shortForms[other] ?? (/^[\r\n]/.test(other) ? '' : other);
}

const shortForms: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
};

/** The words of JSON and of Python. */
const literals: Readonly<Record<string, string>> = {
  __proto__: null as never,
  true: 'true',
  false: 'false',
  null: 'null',
  True: 'true',
  False: 'false',
  None: 'null',
};

function stringOf(value: string): JsonMember['name'] {
  return { kind: 'string', raw: JSON.stringify(value), value };
}
