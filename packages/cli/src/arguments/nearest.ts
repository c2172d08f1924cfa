/**
 * Finds the known name that a mistyped one probably means: the only one that it starts, or one a few letters
 * away.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const begun = known.filter((one) => name.length > 1 && one.startsWith(name));
  if (begun.length === 1) return begun[0];
  const [closest] = known
    .map((one) => ({ one, distance: editDistance(name.toLowerCase(), one) }))
    .filter(({ one, distance }) => distance <= Math.max(1, Math.floor(one.length / 3)))
    .toSorted((left, right) => left.distance - right.distance);
  return closest?.one;
}

/** Levenshtein distance. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}
