import { folded, type PathPattern, type PatternSegment, withoutFinalSlash } from './path-pattern.ts';

/** The way a tree compares literal text: byte by byte, or as the most tolerant server does. */
export type Reading = 'exact' | 'folded';

/** A pattern that matches a path, and its value. */
export interface PatternMatch<Leaf> {
  readonly pattern: PathPattern;
  readonly leaf: Leaf;
}

/**
 * Finds the patterns that match a path, the most specific one first. In each segment literal text wins over a parameter, a parameter
 * with more literal text wins over one with less, then comes `{name+}`, and `**` comes last (OpenAPI 3.1, Paths Object:
 * concrete before templated).
 */
export class PatternTree<Leaf> {
  readonly #root: Node<Leaf> = newNode();
  readonly reading: Reading;

  constructor(reading: Reading) {
    this.reading = reading;
  }

  /** Adds a pattern. If there is already a leaf at the same place, returns it unchanged; undefined otherwise. */
  add(pattern: PathPattern, leaf: Leaf): Leaf | undefined {
    let node = this.#root;
    for (const segment of this.#segmentsOf(pattern)) node = childFor(node, segment, this.reading);
    const place = pattern.matchesBelow ? 'below' : 'here';
    const known = node[place];
    if (known === undefined) node[place] = { pattern, leaf };
    return known?.leaf;
  }

  /** Returns the matching patterns, the most specific one first. */
  find(path: string): readonly PatternMatch<Leaf>[] {
    const read = this.reading === 'exact' ? path : withoutFinalSlash(folded(path));
    const parts = read === '/' && this.reading === 'folded' ? [] : read.slice(1).split('/');
    const found = new Set<PatternMatch<Leaf>>();
    search(this.#root, parts, 0, found);
    return [...found];
  }

  /**
   * Returns patterns that share at least one path with this pattern, each with such a path. Ignores pairs
   * that match different numbers of segments.
   */
  meeting({ segments }: PathPattern): readonly (PatternMatch<Leaf> & { readonly path: string })[] {
    const found: (PatternMatch<Leaf> & { readonly path: string })[] = [];
    const meet = (node: Node<Leaf>, index: number, path: string): void => {
      const segment = segments[index];
      if (segment === undefined) {
        if (node.here) found.push({ ...node.here, path });
      } else
        for (const [text, child] of commonTexts(node, segment)) meet(child, index + 1, `${path}/${text}`);
    };
    meet(this.#root, 0, '');
    return found;
  }

  #segmentsOf({ segments }: PathPattern): readonly PatternSegment[] {
    // A tolerant server ignores a trailing slash, which is an empty last segment.
    const last = segments.at(-1);
    const endsInSlash = last?.kind === 'literal' && last.text === '';
    return this.reading === 'folded' && endsInSlash ? segments.slice(0, -1) : segments;
  }
}

interface Node<Leaf> {
  readonly literals: Map<string, Node<Leaf>>;
  /** The ones with the most literal text first. */
  readonly parameters: Parameter<Leaf>[];
  /** The node after a segment that stands for one or more segments. */
  open: Node<Leaf> | undefined;
  here: PatternMatch<Leaf> | undefined;
  below: PatternMatch<Leaf> | undefined;
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

/**
 * Takes at most as many steps as the tree has nodes; for `{name+}`, of which a pattern has one, at most that
 * many per segment.
 */
function search<Leaf>(
  node: Node<Leaf>,
  parts: readonly string[],
  index: number,
  found: Set<PatternMatch<Leaf>>,
): void {
  if (index === parts.length) {
    if (node.here) found.add(node.here);
  } else {
    const part = parts[index]!;
    const literal = node.literals.get(part);
    if (literal) search(literal, parts, index + 1, found);
    for (const { texts, node: child } of node.parameters)
      if (hasTexts(part, texts)) search(child, parts, index + 1, found);
    if (node.open && part !== '') searchOpen(node.open, parts, index, found);
  }
  if (node.below) found.add(node.below);
}

/** Tries every number of segments. A pattern that continues after `{name+}` wins over one that ends there. */
function searchOpen<Leaf>(
  open: Node<Leaf>,
  parts: readonly string[],
  index: number,
  found: Set<PatternMatch<Leaf>>,
): void {
  for (let end = index + 1; end < parts.length; end++) search(open, parts, end, found);
  if (open.here) found.add(open.here);
}

/** Returns true if a segment contains texts in this order, with at least one character between any two. */
function hasTexts(part: string, texts: readonly string[]): boolean {
  const last = texts.length - 1;
  if (!part.startsWith(texts[0]!) || !part.endsWith(texts[last]!)) return false;
  let at = texts[0]!.length;
  for (let index = 1; index < last; index++) {
    // The first place leaves the most text for the rest.
    const next = part.indexOf(texts[index]!, at + 1);
    if (next === -1) return false;
    at = next + texts[index]!.length;
  }
  return at < part.length - texts[last]!.length;
}

/** Returns the branches of a node that overlap with a segment, each with a text that matches both. */
function commonTexts<Leaf>(
  { literals, parameters }: Node<Leaf>,
  segment: PatternSegment,
): readonly (readonly [text: string, child: Node<Leaf>])[] {
  switch (segment.kind) {
    case 'literal': {
      const { text } = segment;
      const same = literals.get(text);
      const wider = parameters.filter(({ texts }) => hasTexts(text, texts));
      return [...(same ? [[text, same] as const] : []), ...wider.map(({ node }) => [text, node] as const)];
    }
    case 'parameter':
      return [
        ...[...literals].filter(([text]) => hasTexts(text, segment.texts)),
        ...parameters.flatMap(({ texts, node }) => {
          const text = commonText(texts, segment.texts);
          return text === undefined ? [] : [[text, node] as const];
        }),
      ];
    case 'segments':
      return [];
  }
}

/** Returns a text that two segments with parameters match. */
function commonText(left: readonly string[], right: readonly string[]): string | undefined {
  const [start = '', otherStart = ''] = [left[0]!, right[0]!].toSorted((one, two) => two.length - one.length);
  const [end = '', otherEnd = ''] = [left.at(-1)!, right.at(-1)!].toSorted(
    (one, two) => two.length - one.length,
  );
  if (!start.startsWith(otherStart) || !end.endsWith(otherEnd)) return undefined;
  return [start, ...left.slice(1, -1), ...right.slice(1, -1), end].join('x');
}
