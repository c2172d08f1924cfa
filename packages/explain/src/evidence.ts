import type { Evidence } from './explanation.ts';

/** Two texts with the place where they first differ; the length of the shorter one when it begins the longer. */
export function evidenceOf(expected: string, received: string): Evidence {
  const length = Math.min(expected.length, received.length);
  let firstDifference = 0;
  while (
    firstDifference < length &&
    expected.charCodeAt(firstDifference) === received.charCodeAt(firstDifference)
  )
    firstDifference++;
  return { expected, received, firstDifference };
}
