/*
 * Times are counted in classes whose bounds grow by a tenth, so that a percentile read from the counts is less than a
 * tenth away from the exact one. The bounds are stored, as their numbers: they never change.
 */

const firstBoundMs = 0.01;
const growth = 1.1;
/** Its upper bound is about 110 seconds. Longer times belong to it too. */
const lastClass = 170;

/** Returns the class of a time in milliseconds. */
export function timeClassOf(timeMs: number): number {
  if (timeMs <= firstBoundMs) return 0;
  return Math.min(lastClass, Math.ceil(Math.log(timeMs / firstBoundMs) / Math.log(growth)));
}

/**
 * Returns the time that a share of all times does not exceed, in milliseconds, with times spread evenly over each
 * class; undefined if there are no times.
 *
 * @param counts the number of times by class
 * @param share such as 0.95
 */
export function percentileOf(counts: ReadonlyMap<number, number>, share: number): number | undefined {
  const classes = [...counts].toSorted(([one], [other]) => one - other);
  const rank = share * classes.reduce((sum, [, count]) => sum + count, 0);
  let passed = 0;
  for (const [timeClass, count] of classes) {
    if (passed + count >= rank) {
      const lower = timeClass === 0 ? 0 : boundOf(timeClass - 1);
      return lower + ((boundOf(timeClass) - lower) * (rank - passed)) / count;
    }
    passed += count;
  }
  return undefined;
}

function boundOf(timeClass: number): number {
  return firstBoundMs * growth ** timeClass;
}
