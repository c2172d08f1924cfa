/**
 * Makes what writes moments as ISO 8601 text, in UTC with milliseconds: as `Date.toISOString` does, but the text of a second
 * is made once for all moments in it, because that is what costs the most of a line in the log.
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
