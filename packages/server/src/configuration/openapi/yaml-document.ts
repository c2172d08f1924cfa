import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  Scalar,
  type YAMLMap,
} from 'yaml';
import { depthMax, type DocumentProblem, type ParsedDocument, type Place } from './document-text.ts';

/** Maximum number of members that merge keys may copy. Nested ones could otherwise make a small file huge. */
const mergedMembersMax = 200_000;

/**
 * Parses YAML 1.2, with the merge keys (`<<`) of YAML 1.1, which people use to share parts of a document. An
 * alias becomes the same value as its anchor, not a copy, so that aliases cannot make a small file huge.
 *
 * @returns the document, or its problems
 */
export function parseYaml(text: string): ParsedDocument | readonly DocumentProblem[] {
  const lines = new LineCounter();
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  let document: Document.Parsed;
  try {
    // The conversion finds duplicate keys itself: the library compares each key with every other one.
    document = parseDocument(text, {
      lineCounter: lines,
      merge: true,
      prettyErrors: false,
      uniqueKeys: false,
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ place: undefined, message: tooDeep }];
  }
  // Unknown tags are only warnings, but the document does not contain the value that they stand for.
  const found = [...document.errors, ...document.warnings];
  if (found.length > 0)
    return found.map(({ code, message, pos }) => ({ place: place(pos[0]), message: causeOf(code, message) }));
  const conversion = new Conversion();
  const value = conversion.valueOf(document.contents);
  if (conversion.problems.length > 0)
    return conversion.problems.map(({ offset, message }) => ({ place: place(offset), message }));
  return { value, placeOf: placesOf(document, conversion, place) };
}

const tooDeep = `it is nested deeper than the limit of ${depthMax} levels`;

function causeOf(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'a second YAML document begins here; only one is read';
  if (code === 'TAB_AS_INDENT') return 'a tab is used as indentation; YAML needs spaces';
  return `YAML: ${message}`;
}

interface Problem {
  readonly offset: number;
  readonly message: string;
}

/** Converts nodes to values, in document order. */
class Conversion {
  readonly problems: Problem[] = [];
  readonly #anchors = new Map<string, unknown>();
  readonly #values = new Map<unknown, unknown>();
  /** The node that each alias refers to. */
  readonly targets = new Map<unknown, unknown>();
  #mergedCount = 0;
  #depth = 0;
  #isFlow = false;

  valueOf(node: unknown): unknown {
    if (this.#depth > depthMax) return this.#fail(offsetOf(node) ?? 0, tooDeep);
    this.#depth += 1;
    const value = this.#valueOf(node);
    this.#depth -= 1;
    return value;
  }

  #valueOf(node: unknown): unknown {
    if (isAlias(node)) return this.#valueOfAlias(node.source, node.range?.[0] ?? 0, node);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    const value = this.#newValue(node);
    if (anchor !== undefined) this.#values.set(node, value);
    return value;
  }

  #newValue(node: unknown): unknown {
    if (isScalar(node)) {
      this.#checkPlain(node, false);
      return node.value;
    }
    if (!isSeq(node) && !isMap(node)) return null;
    const isFlowOutside = this.#isFlow;
    this.#isFlow = node.flow === true;
    const value = isSeq(node) ? node.items.map((item) => this.valueOf(item)) : this.#record(node);
    this.#isFlow = isFlowOutside;
    return value;
  }

  /** Finds comments in JSON, which is also valid YAML: there, a comment becomes part of the next name or value. */
  #checkPlain(node: Scalar, isKey: boolean): void {
    if (node.type !== Scalar.PLAIN || typeof node.value !== 'string') return;
    const offset = node.range?.[0] ?? 0;
    if (this.#isFlow && /^\/[/*].*\s/s.test(node.value))
      this.#fail(
        offset,
        '"//" and "/*" do not start comments in YAML, and JSON has none; comments start with "#"',
      );
    else if (this.#isFlow && isKey && node.value.includes('"'))
      this.#fail(offset, 'a quotation mark within a key without quotes: put the key in quotes');
    else if (
      isKey ? /^[\s\p{Cf}]|[\s\p{Cf}]$/u.test(node.value) : this.#isFlow && /^[\s\p{Cf}]/u.test(node.value)
    )
      this.#fail(offset, 'this begins or ends with a character that looks like a space');
  }

  #valueOfAlias(source: string, offset: number, alias: unknown): unknown {
    const node = this.#anchors.get(source);
    if (node === undefined) return this.#fail(offset, `there is no anchor &${source} before this`);
    if (!this.#values.has(node)) return this.#fail(offset, `*${source} is inside its own anchor`);
    this.targets.set(alias, node);
    return this.#values.get(node);
  }

  #record(map: YAMLMap): Record<string, unknown> {
    const own = new Map<string, unknown>();
    const merged: Record<string, unknown>[] = [];
    let hasMerge = false;
    for (const { key, value } of map.items) {
      const offset = offsetOf(key) ?? offsetOf(map) ?? 0;
      if (isMergeKey(key)) {
        if (hasMerge) this.#fail(offset, '"<<" occurs twice; write one with a list of aliases');
        hasMerge = true;
        for (const one of this.#merged(value, offset)) merged.push(one);
        continue;
      }
      if (isScalar(key)) this.#checkPlain(key, true);
      const name = keyText(key);
      if (name === undefined) {
        this.#fail(offset, 'a key must be a string');
        continue;
      }
      if (own.has(name)) this.#fail(offset, `the key ${JSON.stringify(name)} occurs twice`);
      own.set(name, this.valueOf(value));
    }
    return this.#joined(own, merged);
  }

  /** Returns the maps that a merge key refers to. */
  #merged(node: unknown, offset: number): readonly Record<string, unknown>[] {
    const value = this.valueOf(node);
    const all: unknown[] = Array.isArray(value) ? value : [value];
    const maps = all.filter(isRecord);
    if (maps.length < all.length) this.#fail(offset, '"<<" can merge only a mapping or a list of mappings');
    return maps;
  }

  /** Merges maps: a map's own members take precedence over merged ones, and earlier merged ones over later ones. */
  #joined(
    own: ReadonlyMap<string, unknown>,
    merged: readonly Record<string, unknown>[],
  ): Record<string, unknown> {
    const members = new Map<string, unknown>();
    for (const source of merged) {
      for (const [name, value] of Object.entries(source)) {
        this.#mergedCount += 1;
        if (!members.has(name) && this.#mergedCount <= mergedMembersMax) members.set(name, value);
      }
    }
    if (this.#mergedCount > mergedMembersMax && this.problems.length === 0)
      this.#fail(0, `its merge keys copy more members than the limit of ${mergedMembersMax}`);
    for (const [name, value] of own) members.set(name, value);
    // `fromEntries` defines members, so that `__proto__` is a name like any other.
    return Object.fromEntries(members);
  }

  #fail(offset: number, message: string): undefined {
    this.problems.push({ offset, message });
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMergeKey(key: unknown): boolean {
  // A quoted "<<" is a name.
  const isPlain = isScalar(key) && (key.type === undefined || key.type === Scalar.PLAIN);
  return isPlain && (key.value === '<<' || (typeof key.value === 'symbol' && key.value.description === '<<'));
}

/** Returns a key as in JSON: a number or `true` becomes text, spelled as in the document. */
function keyText(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  if (typeof key.value === 'string') return key.value;
  return key.source ?? String(key.value);
}

function offsetOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}

/** Finds members by their nodes. Reads the keys of a map only when one of them is needed. */
function placesOf(
  { contents }: Document.Parsed,
  { targets }: Conversion,
  place: (offset: number) => Place,
): (at: readonly string[]) => Place {
  const known = new Map<unknown, ReadonlyMap<string, Member>>();
  const resolved = (node: unknown): unknown => (isAlias(node) ? targets.get(node) : node);
  const membersOf = (node: unknown): ReadonlyMap<string, Member> => {
    const before = known.get(node);
    if (before) return before;
    const members = new Map<string, Member>();
    known.set(node, members);
    if (isSeq(node))
      node.items.forEach((item, index) => members.set(String(index), { key: item, value: item }));
    if (isMap(node)) {
      for (const pair of node.items.filter((one) => isMergeKey(one.key))) {
        const source = resolved(pair.value);
        for (const one of isSeq(source) ? source.items : [source])
          for (const [name, member] of membersOf(resolved(one)))
            if (!members.has(name)) members.set(name, member);
      }
      for (const pair of node.items)
        if (isPair(pair) && !isMergeKey(pair.key)) members.set(keyText(pair.key) ?? '', pair);
    }
    return members;
  };
  return (at) => {
    let node: unknown = contents;
    let offset = offsetOf(contents) ?? 0;
    for (const name of at) {
      const member = membersOf(resolved(node)).get(name);
      if (member === undefined) break;
      node = member.value;
      offset = offsetOf(member.key) ?? offset;
    }
    return place(offset);
  };
}

interface Member {
  readonly key: unknown;
  readonly value: unknown;
}
