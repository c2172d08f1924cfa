/**
 * Makes a text from outside safe for a terminal: control, direction and line characters, which could move the cursor,
 * hide text or imitate a line of ours, become `\u` escapes, which are also what JSON has for them.
 */
export function visible(text: string): string {
  return text.replace(hidden, escape);
}

/** The same, but line ends and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(hidden, (character) => (/[\n\t]/.test(character) ? character : escape(character)));
}

/**
 * Shows every character of a text that a reader cannot see or take for what it is: line ends and tabs as `\n`, `\r` and
 * `\t`, other controls, special spaces, marks and characters without width as `\u` escapes, and so that these are not
 * ambiguous, a backslash as two.
 */
export function visibleExactly(text: string): string {
  return text.replace(
    /[\\\p{C}\p{Z}\p{M}]/gu,
    (character) => shortEscapes.get(character) ?? character.split('').map(escape).join(''),
  );
}

const shortEscapes: ReadonlyMap<string, string> = new Map([
  [' ', ' '],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

const hidden = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
