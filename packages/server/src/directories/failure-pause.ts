/** The shortest and the longest pause after a failed fetch, in milliseconds. */
const shortestMs = 5 * 60_000;
const longestMs = 60 * 60_000;
/** How much longer a pause can be by chance, so that what failed together is not fetched together for ever. */
const jitter = 0.1;

/**
 * Returns how long a directory is left alone if the next fetch fails, too: 5 minutes, then 10, 20, 40 and 60, and up to a tenth
 * more.
 *
 * @param failures how many fetches have failed since the last that did not
 * @param random a number from 0 to 1
 */
export function pauseAfterFailures(failures: number, random: number): number {
  const pauseMs = Math.min(longestMs, shortestMs * 2 ** Math.min(failures, 10));
  return Math.round(pauseMs * (1 + jitter * random));
}
