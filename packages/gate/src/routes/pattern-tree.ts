import { folded, type PathPattern, type PatternSegment, withoutFinalSlash } from './path-pattern.ts';

/** The way in which a tree compares literal text: byte by byte, or as the most tolerant server does. */
export type Reading = 'exact' | 'folded';

/** The result of a search that finds several patterns, none of which is more specific than the others. */
export const severalLeaves: unique symbol = Symbol('several leaves');

/**
 * Finds the most specific pattern that matches a path. In each segment literal text wins over a parameter, a parameter
 * with more literal text wins over one with less, then comes `{name+}`, and `**` comes last (OpenAPI 3.1, Paths Object:
 * concrete before templated).
 */
export class PatternTree<Leaf> {
  readonly #root: Node<Leaf> = newNode();
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Adds a pattern. Returns the leaf that is already at the same place, and leaves it there; undefined if there is none. */
  add(pattern: PathPattern, leaf: Leaf): Leaf | undefined {
    let node = this.#root;
    for (const segment of this.#segmentsOf(pattern)) node = childFor(node, segment, this.#reading);
    const place = pattern.matchesBelow ? 'below' : 'here';
    if (node[place] !== undefined) return node[place];
    node[place] = leaf;
    return undefined;
  }

  /** Returns the leaf of the most specific matching pattern; undefined if none matches. */
  find(path: string): Found<Leaf> {
    const read = this.#reading === 'exact' ? path : withoutFinalSlash(folded(path));
    const parts = read === '/' && this.#reading === 'folded' ? [] : read.slice(1).split('/');
    return search(this.#root, parts, 0);
  }

  #segmentsOf({ segments }: PathPattern): readonly PatternSegment[] {
    // A tolerant server ignores a final slash, which is an empty last segment.
    const last = segments.at(-1);
    const endsInSlash = last?.kind === 'literal' && last.text === '';
    return this.#reading === 'folded' && endsInSlash ? segments.slice(0, -1) : segments;
  }
}

type Found<Leaf> = Leaf | typeof severalLeaves | undefined;

interface Node<Leaf> {
  readonly literals: Map<string, Node<Leaf>>;
  /** Those with the most literal text first. */
  readonly parameters: Parameter<Leaf>[];
  /** What follows one or more segments. */
  open: Node<Leaf> | undefined;
  here: Leaf | undefined;
  below: Leaf | undefined;
}

interface Parameter<Leaf> {
  readonly texts: readonly string[];
  readonly node: Node<Leaf>;
}

function newNode<Leaf>(): Node<Leaf> {
  return { literals: new Map(), parameters: [], open: undefined, here: undefined, below: undefined };
}

function childFor<Leaf>(node: Node<Leaf>, segment: PatternSegment, reading: Reading): Node<Leaf> {
  const read = (text: string): string => (reading === 'folded' ? folded(text) : text);
  switch (segment.kind) {
    case 'literal': {
      const text = read(segment.text);
      const known = node.literals.get(text) ?? newNode<Leaf>();
      node.literals.set(text, known);
      return known;
    }
    case 'segments':
      return (node.open ??= newNode());
    case 'parameter': {
      const texts = segment.texts.map(read);
      const known = node.parameters.find((one) => one.texts.join('{}') === texts.join('{}'));
      if (known) return known.node;
      const child = newNode<Leaf>();
      node.parameters.push({ texts, node: child });
      node.parameters.sort((left, right) => literalLength(right) - literalLength(left));
      return child;
    }
  }
}

function literalLength({ texts }: Parameter<unknown>): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** Takes no more steps than the tree has nodes; for `{name+}`, of which a pattern has one, no more for each segment. */
function search<Leaf>(node: Node<Leaf>, parts: readonly string[], index: number): Found<Leaf> {
  if (index === parts.length) return node.here ?? node.below;
  const part = parts[index]!;
  const literal = node.literals.get(part);
  const found = literal && search(literal, parts, index + 1);
  if (found !== undefined) return found;
  for (const { texts, node: child } of node.parameters) {
    const below = hasTexts(part, texts) ? search(child, parts, index + 1) : undefined;
    if (below !== undefined) return below;
  }
  return (node.open && part !== '' ? searchOpen(node.open, parts, index) : undefined) ?? node.below;
}

/**
 * Tries every number of segments. What follows `{name+}` in a pattern wins over nothing that follows; servers may choose
 * differently between two patterns that match with different numbers.
 */
function searchOpen<Leaf>(open: Node<Leaf>, parts: readonly string[], index: number): Found<Leaf> {
  let found: Found<Leaf>;
  for (let end = index + 1; end < parts.length; end++) {
    const one = search(open, parts, end);
    if (one !== undefined && found !== undefined && one !== found) return severalLeaves;
    found ??= one;
  }
  return found ?? open.here;
}

/** Whether a segment has texts in this order, with at least one character between each two. */
function hasTexts(part: string, texts: readonly string[]): boolean {
  const last = texts.length - 1;
  if (!part.startsWith(texts[0]!) || !part.endsWith(texts[last]!)) return false;
  let at = texts[0]!.length;
  for (let index = 1; index < last; index++) {
    // The first place leaves the most for what follows.
    const next = part.indexOf(texts[index]!, at + 1);
    if (next === -1) return false;
    at = next + texts[index]!.length;
  }
  return at < part.length - texts[last]!.length;
}
