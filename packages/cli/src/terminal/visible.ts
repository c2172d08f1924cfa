/**
 * Makes untrusted text safe for a terminal. Control, direction and line characters, which could move the cursor, hide
 * text or imitate our own lines, become `\u` escapes, as in JSON.
 */
export function visible(text: string): string {
  return text.replace(hidden, escape);
}

/** Like `visible`, but keeps line ends and tabs. */
export function visibleLines(text: string): string {
  return text.replace(hidden, (character) => (/[\n\t]/.test(character) ? character : escape(character)));
}

const hidden = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
