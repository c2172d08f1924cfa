/** The shortest and the longest time in which a directory is not fetched again, and the time for one that does not say. */
const freshness = {
  minMs: 5 * 60_000,
  maxMs: 24 * 3_600_000,
  defaultMs: 3_600_000,
} as const;

/** Returns how long an answer is fresh, from its `Cache-Control` (RFC 9111 section 5.2.2), within our bounds. */
export function freshForMs(cacheControl: string): number {
  const directives = cacheControl
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim());
  if (directives.some((directive) => /^no-(?:store|cache)(?:=|$)/.test(directive))) return freshness.minMs;
  const ages = directives.flatMap((directive) => /^max-age="?([0-9]+)"?$/.exec(directive)?.[1] ?? []);
  if (ages.length === 0) return freshness.defaultMs;
  const seconds = Math.min(...ages.map(Number));
  return Math.min(freshness.maxMs, Math.max(freshness.minMs, seconds * 1000));
}
