/**
 * Characters that are invisible or that reorder the text around them: control characters, line ends,
 * directional marks, and everything that Unicode renders as nothing. Joiners and variation selectors are
 * allowed, because they are parts of letters and emoji.
 */
const hidden =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/u;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Returns true if people can read a text as it is without being deceived; it may be empty, and has at most
 * this many characters.
 */
export function isReadableText(text: string, charactersMax: number): boolean {
  return !hidden.test(text) && Array.from(text).length <= charactersMax;
}

/** Returns true if a text can be a name: readable, with 1 to 100 characters, and without surrounding space. */
export function isReadableName(text: string): boolean {
  return isReadableText(text, 100) && visible.test(text) && text.trim() === text;
}

/** Returns true if a text can be the label of a network whitelist entry. */
export function isNetworkLabel(label: string): boolean {
  return isReadableText(label, 100);
}

/**
 * Patterns for JSON Schemas, whose readers may support neither Unicode classes nor lookaround. They accept
 * more than the checks: rare invisible characters.
 */
export const plainPatterns = {
  /** Allows an empty text. */
  line: String.raw`^[^\x00-\x1f\x7f-\x9f]*$`,
  someLine: String.raw`^[^\x00-\x1f\x7f-\x9f]+$`,
  /** Requires no surrounding space. */
  name: String.raw`^[^\x00-\x20\x7f-\xa0](?:[^\x00-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\xa0])?$`,
} as const;
