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
  /** Whether arrays stay on one line although objects do not. */
  readonly hasInlineArrays?: boolean;
  /** The text between the brackets of an empty object or array. */
  readonly inEmpty?: string;
}

/** What a layout does not determine. */
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

export function writeJsonText(node: JsonNode, writing: JsonWriting): string {
  return write(node, writing, 0);
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

function write(node: JsonNode, writing: JsonWriting, depth: number): string {
  switch (node.kind) {
    case 'string':
      return writing.string(node);
    case 'number':
      return writing.number(node.raw);
    case 'literal':
      return node.raw;
    case 'array': {
      const inner = writing.layout.hasInlineArrays ? depth : depth + 1;
      const items = node.items.map((item) => write(item, writing, inner));
      return bracket('[', ']', items, writing.layout, depth);
    }
    case 'object': {
      const members = writing
        .order(node.members, depth)
        .map(
          ({ name, value }) => writing.string(name) + writing.layout.colon + write(value, writing, depth + 1),
        );
      return bracket('{', '}', members, writing.layout, depth);
    }
  }
}

function bracket(
  open: string,
  close: string,
  parts: readonly string[],
  layout: JsonLayout,
  depth: number,
): string {
  if (parts.length === 0) return open + (layout.inEmpty ?? '') + close;
  const { indent, comma, padding = '' } = layout;
  if (indent === undefined || (open === '[' && layout.hasInlineArrays)) {
    const inline = indent === undefined ? comma : ', ';
    return open + padding + parts.join(inline) + padding + close;
  }
  const outer = `\n${indent.repeat(depth)}`;
  const inner = outer + indent;
  return open + inner + parts.join(comma + inner) + outer + close;
}
