/** A comment, a string, a template (without what it embeds), or a regular expression; in this order. */
const tokens =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;

/**
 * Blanks everything in a TypeScript file except its texts: string literals other than names such as
 * `'clientId'`. Positions stay.
 */
export function quotedText(source: string, isName: (literal: string) => boolean): string {
  let text = '';
  for (const token of source.matchAll(tokens)) {
    text += blank(source.slice(text.length, token.index));
    text +=
      isString(token[0]) && !isName(token[0]) ? token[0].replaceAll(/\$\{[^{}]*\}/g, blank) : blank(token[0]);
  }
  return text + blank(source.slice(text.length));
}

function isString(token: string): boolean {
  return /^['"`]/.test(token);
}

/** Replaces everything except line ends with spaces. */
export function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
