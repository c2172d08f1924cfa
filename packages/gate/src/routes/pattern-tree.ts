import { folded, type PathPattern, type PatternSegment, withoutFinalSlash } from './path-pattern.ts';

/** The way in which a tree compares literal text: byte by byte, or as the most tolerant server does. */
export type Reading = 'exact' | 'folded';

/**
 * Finds the most specific pattern that matches a path. In each segment literal text wins over a parameter, a parameter
 * with more literal text wins over one with less, and `**` comes last (OpenAPI 3.1, Paths Object: concrete before
 * templated).
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
  find(path: string): Leaf | undefined {
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

interface Node<Leaf> {
  readonly literals: Map<string, Node<Leaf>>;
  /** Those with the most literal text first. */
  readonly parameters: Parameter<Leaf>[];
  here: Leaf | undefined;
  below: Leaf | undefined;
}

interface Parameter<Leaf> {
  readonly prefix: string;
  readonly suffix: string;
  readonly node: Node<Leaf>;
}

function newNode<Leaf>(): Node<Leaf> {
  return { literals: new Map(), parameters: [], here: undefined, below: undefined };
}

function childFor<Leaf>(node: Node<Leaf>, segment: PatternSegment, reading: Reading): Node<Leaf> {
  const read = (text: string): string => (reading === 'folded' ? folded(text) : text);
  if (segment.kind === 'literal') {
    const text = read(segment.text);
    const known = node.literals.get(text) ?? newNode<Leaf>();
    node.literals.set(text, known);
    return known;
  }
  const [prefix, suffix] = [read(segment.prefix), read(segment.suffix)];
  const known = node.parameters.find((one) => one.prefix === prefix && one.suffix === suffix);
  if (known) return known.node;
  const child = newNode<Leaf>();
  node.parameters.push({ prefix, suffix, node: child });
  node.parameters.sort(
    (left, right) => right.prefix.length + right.suffix.length - left.prefix.length - left.suffix.length,
  );
  return child;
}

/** Takes no more steps than the tree has nodes, whatever the path is. */
function search<Leaf>(node: Node<Leaf>, parts: readonly string[], index: number): Leaf | undefined {
  if (index === parts.length) return node.here ?? node.below;
  const part = parts[index]!;
  const literal = node.literals.get(part);
  const found = literal && search(literal, parts, index + 1);
  if (found !== undefined) return found;
  for (const { prefix, suffix, node: child } of node.parameters) {
    const below = isBetween(part, prefix, suffix) ? search(child, parts, index + 1) : undefined;
    if (below !== undefined) return below;
  }
  return node.below;
}

function isBetween(text: string, prefix: string, suffix: string): boolean {
  return text.length > prefix.length + suffix.length && text.startsWith(prefix) && text.endsWith(suffix);
}
