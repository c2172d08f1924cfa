/**
 * Creates a function that formats times as ISO 8601 text, in UTC with milliseconds, like `Date.toISOString`. It
 * formats each second only once, because that is the most expensive part of a log line.
 *
 * @returns a function of milliseconds since 1970, whole and not negative
 */
export function createClockText(): (ms: number) => string {
  let secondStartMs = Number.NaN;
  let secondText = '';
  return (ms) => {
    const withinMs = ms % 1000;
    if (ms - withinMs !== secondStartMs) {
      secondStartMs = ms - withinMs;
      secondText = new Date(secondStartMs).toISOString().slice(0, -4);
    }
    return `${secondText}${String(withinMs).padStart(3, '0')}Z`;
  };
}
