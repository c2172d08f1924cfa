import type { PathPattern } from './path-pattern.ts';
import { PatternTree, type Reading } from './pattern-tree.ts';

/** Returns true if a pattern matches every path that another one matches. */
export function includesPattern(wide: PathPattern, narrow: PathPattern, reading: Reading): boolean {
  const tree = new PatternTree<true>(reading);
  tree.add(wide, true);
  return samplesOf(narrow, wide.segments.length + 2).every((path) => tree.find(path).length > 0);
}

/** No pattern contains this character, so only a parameter matches it, and then anything in its place. */
const anything = '\0';

/**
 * Returns paths that match a pattern, with as little as possible in its parameters. Any pattern that matches
 * all of them matches every path that this pattern matches.
 *
 * @param most how many segments to substitute for `{name+}` or `**`: more than the other pattern has
 */
function samplesOf({ segments, matchesBelow }: PathPattern, most: number): readonly string[] {
  const isOpen = matchesBelow || segments.some(({ kind }) => kind === 'segments');
  const counts = isOpen ? Array.from({ length: most + 1 }, (_, count) => count) : [0];
  return counts.flatMap((count) => {
    const several = Array.from({ length: count }, () => anything);
    if (count === 0 && isOpen && !matchesBelow) return [];
    const parts = segments.flatMap((segment) => {
      if (segment.kind === 'literal') return segment.text;
      return segment.kind === 'parameter' ? segment.texts.join(anything) : several;
    });
    return `/${[...parts, ...(matchesBelow ? several : [])].join('/')}`;
  });
}
