/** JSON as written: keeps the text of numbers and strings, the order of members, and repeated names. */
export type JsonNode =
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | JsonString
  | { readonly kind: 'number' | 'literal'; readonly raw: string };

/** A string, as quoted text and as value. */
export interface JsonString {
  readonly kind: 'string';
  readonly raw: string;
  readonly value: string;
}

export interface JsonMember {
  readonly name: JsonString;
  readonly value: JsonNode;
}

export interface JsonLayout {
  readonly name: string;
  /** One step of indentation. Undefined: everything on one line. */
  readonly indent?: string;
  readonly comma: string;
  readonly colon: string;
  /** The text inside the brackets of a line. */
  readonly padding?: string;
  /** True if arrays stay on one line although objects do not. */
  readonly hasInlineArrays?: boolean;
  /** The text between the brackets of an empty object or array. */
  readonly inEmpty?: string;
  /** The line ends between the brackets of an empty array or object, after which the closing one is indented. */
  readonly emptyArray?: string;
  readonly emptyObject?: string;
  /** True if an empty array or object has an indented, empty line of its own. */
  readonly hasEmptyLine?: boolean;
  /** True if objects in one-line arrays are indented as if the array were not there. */
  readonly isArrayIndented?: boolean;
  /**
   * True if the brackets of a member's value start on a line of their own, and arrays of plain values stay on
   * one.
   */
  readonly hasOwnLines?: boolean;
  /** True if the contents of brackets are indented from the column of the opening one. */
  readonly isHanging?: boolean;
}

/** Details that a layout does not determine. */
export interface JsonWriting {
  readonly layout: JsonLayout;
  readonly order: (members: readonly JsonMember[], depth: number) => readonly JsonMember[];
  readonly string: (string: JsonString) => string;
  readonly number: (raw: string) => string;
}

/** Reads JSON, losing nothing but white space. Undefined for anything else and beyond 64 levels. */
export function readJsonText(text: string): JsonNode | undefined {
  const reader = new JsonReader(text);
  const node = reader.value(0);
  return node !== undefined && reader.isAtEnd ? node : undefined;
}

/** Lists a node and all nodes inside it, in the order of the document. Names of members are not nodes. */
export function nodesOf(node: JsonNode): readonly JsonNode[] {
  if (node.kind === 'array') return [node, ...node.items.flatMap(nodesOf)];
  if (node.kind === 'object') return [node, ...node.members.flatMap(({ value }) => nodesOf(value))];
  return [node];
}

export function writeJsonText(node: JsonNode, writing: JsonWriting): string {
  return write(node, writing, 0, '');
}

const depthMax = 64;
const tokenPattern =
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\x00-\x1f]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;
const spacePattern = /[ \t\r\n]*/y;

class JsonReader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    spacePattern.lastIndex = this.#position;
    return this.#position + spacePattern.exec(this.#text)![0].length === this.#text.length;
  }

  value(depth: number): JsonNode | undefined {
    const match = this.#next();
    if (!match || depth > depthMax) return undefined;
    if (match[1] === '{') return this.#object(depth);
    if (match[1] === '[') return this.#array(depth);
    if (match[2] !== undefined) return stringNode(match[2]);
    if (match[3] !== undefined) return { kind: 'number', raw: match[3] };
    return match[4] === undefined ? undefined : { kind: 'literal', raw: match[4] };
  }

  #object(depth: number): JsonNode | undefined {
    const members: JsonMember[] = [];
    if (this.#take('}')) return { kind: 'object', members };
    for (;;) {
      const text = this.#next()?.[2];
      const name = text === undefined ? undefined : stringNode(text);
      if (!name || !this.#take(':')) return undefined;
      const value = this.value(depth + 1);
      if (!value) return undefined;
      members.push({ name, value });
      if (this.#take('}')) return { kind: 'object', members };
      if (!this.#take(',')) return undefined;
    }
  }

  #array(depth: number): JsonNode | undefined {
    const items: JsonNode[] = [];
    if (this.#take(']')) return { kind: 'array', items };
    for (;;) {
      const item = this.value(depth + 1);
      if (!item) return undefined;
      items.push(item);
      if (this.#take(']')) return { kind: 'array', items };
      if (!this.#take(',')) return undefined;
    }
  }

  #next(): RegExpExecArray | null {
    tokenPattern.lastIndex = this.#position;
    const match = tokenPattern.exec(this.#text);
    if (match) this.#position += match[0].length;
    return match;
  }

  #take(character: string): boolean {
    const before = this.#position;
    if (this.#next()?.[1] === character) return true;
    this.#position = before;
    return false;
  }
}

function stringNode(raw: string): JsonString | undefined {
  try {
    return { kind: 'string', raw, value: JSON.parse(raw) as string };
  } catch {
    return undefined;
  }
}

/** `before` is the line's indentation, and the text on it before a hanging bracket. */
function write(node: JsonNode, writing: JsonWriting, depth: number, before: string): string {
  switch (node.kind) {
    case 'string':
      return writing.string(node);
    case 'number':
      return writing.number(node.raw);
    case 'literal':
      return node.raw;
    case 'array': {
      const { indent = '', hasInlineArrays = false, isArrayIndented = false } = writing.layout;
      const start = hasInlineArrays && !isArrayIndented ? before : before + indent;
      const items = node.items.map((item) => write(item, writing, depth + 1, start));
      if (writing.layout.hasOwnLines && isPlainList(node)) return `[ ${items.join(', ')} ]`;
      return bracket('[', ']', items, writing.layout, before);
    }
    case 'object': {
      const { colon, indent = '', isHanging = false, hasOwnLines = false } = writing.layout;
      const start = before + indent;
      const members = writing.order(node.members, depth).map(({ name, value }) => {
        const isBelow = hasOwnLines && isLong(value);
        const key = writing.string(name) + colon + (isBelow ? `\n${start}` : '');
        const column = isHanging ? start + ' '.repeat(key.length) : start;
        return key + write(value, writing, depth + 1, column);
      });
      return bracket('{', '}', members, writing.layout, before);
    }
  }
}

/** Returns true if a value takes several lines in a layout whose brackets have their own lines. */
function isLong(node: JsonNode): boolean {
  if (node.kind === 'object') return node.members.length > 0;
  return node.kind === 'array' && node.items.length > 0 && !isPlainList(node);
}

function isPlainList(node: JsonNode): boolean {
  return (
    node.kind === 'array' &&
    node.items.length > 0 &&
    node.items.every((item) => item.kind !== 'object' && item.kind !== 'array')
  );
}

function bracket(
  open: string,
  close: string,
  parts: readonly string[],
  layout: JsonLayout,
  before: string,
): string {
  if (parts.length === 0) {
    if (layout.hasEmptyLine) return `${open}\n${before}${layout.indent}\n${before}${close}`;
    const lines = open === '[' ? layout.emptyArray : layout.emptyObject;
    return open + (lines === undefined ? (layout.inEmpty ?? '') : lines + before) + close;
  }
  const { indent, comma, padding = '' } = layout;
  if (indent === undefined || (open === '[' && layout.hasInlineArrays)) {
    const inline = indent === undefined ? comma : ', ';
    return open + padding + parts.join(inline) + padding + close;
  }
  const outer = `\n${before}`;
  const inner = outer + indent;
  return open + inner + parts.join(comma + inner) + outer + close;
}
