/**
 * Marsaglia's xorshift: fast, 32 bits, and the same numbers for the same seed. An even seed gives those of
 * the next odd one.
 */
export function randomNumbers(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
