/**
 * Returns why two servers could read a raw path differently; undefined if they all read it the same way. Such a path may
 * match one route here and another one in the API behind (CWE-436), so it is refused unless its route allows it.
 */
export function ambiguityOf(path: string): string | undefined {
  if (plainPath.test(path)) return undefined;
  for (const [pattern, reason] of ambiguities) if (pattern.test(path)) return reason;
  return undefined;
}

/** Most paths: segments of letters, digits, `-`, `_` and `~`, with dots inside. A quick test, so that they cost nothing. */
const plainPath = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

const ambiguities: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\/\//, 'it has a doubled slash'],
  [/\\/, 'it has a backslash'],
  [/;/, 'it has a semicolon'],
  [/\/\.{1,2}(?:\/|$)/, 'it has a dot segment'],
  [/%(?![0-9A-Fa-f]{2})/, 'it has a percent sign that encodes nothing'],
  [/%2f/i, 'it has an encoded slash'],
  [/%5c/i, 'it has an encoded backslash'],
  [/%2e/i, 'it has an encoded dot'],
  [/%3b/i, 'it has an encoded semicolon'],
  [/%25[0-9a-f]{2}/i, 'it is encoded twice'],
  [/%(?:[01][0-9a-f]|7f)/i, 'it has an encoded control character'],
  // Overlong UTF-8: some decoders read %C0%AF as a slash.
  [/%c[01]/i, 'it has bytes that no UTF-8 text has'],
];
