import { depthMax, type DocumentProblem, Lines, type ParsedDocument, type Place } from './document-text.ts';

/**
 * Parses JSON. A duplicate member is a problem: `JSON.parse` would silently drop the first one.
 *
 * @returns the document, or its first problem
 */
export function parseJson(text: string): ParsedDocument | DocumentProblem {
  const problem = new JsonCheck(text).run();
  if (problem !== undefined) {
    const { offset, message } = problem;
    return { place: new Lines(text).placeAt(offset), message };
  }
  return { value: JSON.parse(text) as unknown, placeOf: placesOf(text) };
}

interface Problem {
  readonly offset: number;
  readonly message: string;
}

const token = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Checks the grammar of RFC 8259, and that no object has a duplicate member. */
class JsonCheck {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): Problem | undefined {
    try {
      this.#value(0);
      if (this.#at < this.#text.length) this.#fail('nothing may follow the JSON value');
      return undefined;
    } catch (error) {
      if (error instanceof Stop) return error.problem;
      throw error;
    }
  }

  #value(depth: number): void {
    if (depth > depthMax) this.#fail(`it is nested deeper than the limit of ${depthMax} levels`);
    this.#space();
    const first = this.#text[this.#at];
    if (first === '{') this.#list('}', depth, new Set());
    else if (first === '[') this.#list(']', depth, undefined);
    else if (first === '"') this.#string();
    else if (!this.#take(token)) this.#fail('a JSON value is missing here');
    this.#space();
  }

  /** Reads the content of brackets; with `names`, it consists of members. */
  #list(end: '}' | ']', depth: number, names: Set<string> | undefined): void {
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      return;
    }
    for (;;) {
      if (names) this.#name(names);
      this.#value(depth + 1);
      const next = this.#text[this.#at];
      if (next !== ',' && next !== end) this.#fail(`"," or "${end}" is missing here`);
      this.#at += 1;
      if (next === end) return;
      this.#space();
    }
  }

  #name(names: Set<string>): void {
    const start = this.#at;
    if (this.#text[start] !== '"') this.#fail('a member name in double quotes is missing here');
    this.#string();
    const name = unquoted(this.#text.slice(start, this.#at));
    if (names.has(name)) this.#fail(`the member ${JSON.stringify(name)} occurs twice`, start);
    names.add(name);
    this.#space();
    if (this.#text[this.#at] !== ':') this.#fail('":" is missing here');
    this.#at += 1;
  }

  #string(): void {
    const end = afterString(this.#text, this.#at);
    if (end === -1) this.#fail('this string does not end, or has a character that needs an escape');
    this.#at = end;
  }

  #take(form: RegExp): boolean {
    form.lastIndex = this.#at;
    if (!form.test(this.#text)) return false;
    this.#at = form.lastIndex;
    return true;
  }

  #space(): void {
    this.#at = afterSpace(this.#text, this.#at);
  }

  #fail(message: string, offset = this.#at): never {
    const isComment = this.#text.startsWith('//', offset) || this.#text.startsWith('/*', offset);
    throw new Stop({ offset, message: isComment ? 'JSON has no comments' : message });
  }
}

class Stop extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** The position of a member or an element. */
interface Member {
  readonly offset: number;
  readonly valueOffset: number;
}

/** Finds members in valid JSON. Reads only the objects on the way, each of them once. */
function placesOf(text: string): (at: readonly string[]) => Place {
  const known = new Map<number, ReadonlyMap<string, Member>>();
  let lines: Lines | undefined;
  return (at) => {
    let [offset, valueOffset] = [afterSpace(text, 0), afterSpace(text, 0)];
    for (const name of at) {
      const members = known.get(valueOffset) ?? membersAt(text, valueOffset);
      known.set(valueOffset, members);
      const member = members.get(name);
      if (member === undefined) break;
      ({ offset, valueOffset } = member);
    }
    lines ??= new Lines(text);
    return lines.placeAt(offset);
  };
}

function membersAt(text: string, start: number): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  const isObject = text[start] === '{';
  if (!isObject && text[start] !== '[') return members;
  let at = afterSpace(text, start + 1);
  for (let index = 0; text[at] !== '}' && text[at] !== ']'; index++) {
    const offset = at;
    let name = String(index);
    if (isObject) {
      at = afterValue(text, at);
      name = unquoted(text.slice(offset, at));
      at = afterSpace(text, afterSpace(text, at) + 1);
    }
    members.set(name, { offset, valueOffset: at });
    at = afterSpace(text, afterValue(text, at));
    if (text[at] === ',') at = afterSpace(text, at + 1);
  }
  return members;
}

/** Returns the end of a value in valid JSON. */
function afterValue(text: string, start: number): number {
  const first = text[start];
  if (first !== '{' && first !== '[') {
    if (first === '"') return afterString(text, start);
    token.lastIndex = start;
    token.test(text);
    return token.lastIndex;
  }
  const mark = /["{}[\]]/g;
  mark.lastIndex = start;
  for (let depth = 0; ;) {
    const at = mark.exec(text)!.index;
    if (text[at] === '"') mark.lastIndex = afterValue(text, at);
    else depth += text[at] === '{' || text[at] === '[' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
}

/** Returns the end of a string, or -1 if it is invalid. A regular expression would need memory for each character. */
function afterString(text: string, start: number): number {
  for (let at = start + 1; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    // JSON forbids control characters in strings.
    if (code < 32) return -1;
    if (code !== 92) at += 1;
    else {
      escape.lastIndex = at;
      if (!escape.test(text)) return -1;
      at = escape.lastIndex;
    }
  }
  return -1;
}

function afterSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
    at += 1;
  }
}

function unquoted(written: string): string {
  return written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
}
