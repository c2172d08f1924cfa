import { decodedPath } from './path-pattern.ts';

/**
 * Returns why two servers could read a raw path differently; undefined if all read it the same way. Such a
 * path may match one route here and another one in the API behind (CWE-436), so it is rejected unless its
 * route allows it.
 */
export function ambiguityOf(path: string): string | undefined {
  if (plainPath.test(path)) return undefined;
  for (const [pattern, reason] of ambiguities) if (pattern.test(path)) return reason;
  const decoded = decodedPath(path);
  if (/%[0-9a-f]{2}/i.test(decoded)) return 'it is encoded twice';
  return mayHoldSeparator(decoded) ? 'it has a character that some servers read as a separator' : undefined;
}

/**
 * Separators in disguise: servers that normalise compatible characters (NFKC) find `/`, `.` or `a/c` in `／`,
 * `．` and `℀`.
 */
function mayHoldSeparator(decoded: string): boolean {
  const others = decoded.replace(/[\0-\x7f]+/g, '');
  return others !== '' && /[/\\.%;?#]/.test(others.normalize('NFKC'));
}

/** Most paths: segments of letters, digits, `-`, `_` and `~`, with dots inside. A quick test for the common case. */
const plainPath = /^(?:\/[A-Za-z0-9_~-]+(?:\.+[A-Za-z0-9_~-]+)*)+$/;

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
  // Servers that decode first and look for the query afterwards cut the path there.
  [/%3f/i, 'it has an encoded question mark'],
  [/%23/, 'it has an encoded number sign'],
  // Windows drops both at the end of a name.
  [/(?:\.|%20)(?:\/|$)/, 'it has a segment that ends in a dot or a space'],
  [/%(?:[01][0-9a-f]|7f)/i, 'it has an encoded control character'],
  // Overlong UTF-8: some decoders read %C0%AF as a slash.
  [/%c[01]|%e0%[89]|%f0%8|%f[89a-f]/i, 'it has bytes that are not valid UTF-8'],
];
