/** Returns the next number, from 0 to just below 1. */
export type Random = () => number;

/** Creates a generator that returns the same numbers for the same seed (mulberry32). Never use it for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns one of the elements. */
export function pick<Element>(random: Random, elements: readonly Element[]): Element {
  return elements[Math.floor(random() * elements.length)]!;
}

/** Returns one of the elements, with a probability proportional to its weight. */
export function pickWeighted<Element extends { readonly weight: number }>(
  random: Random,
  elements: readonly Element[],
): Element {
  let rest = random() * elements.reduce((sum, { weight }) => sum + weight, 0);
  return elements.find(({ weight }) => (rest -= weight) < 0) ?? elements.at(-1)!;
}
