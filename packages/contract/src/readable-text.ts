/**
 * What people do not see, or what turns the order of what is around it: control characters, ends of lines, directions,
 * and everything that Unicode shows as nothing. Joiners and variation selectors are parts of letters and emoji.
 */
const hidden =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/u;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether people can read a text as it is, and are not deceived by it; it may be empty, and has so many characters at most. */
export function isReadableText(text: string, charactersMax: number): boolean {
  return !hidden.test(text) && Array.from(text).length <= charactersMax;
}

/** Whether a text can be the name of something: as above, with 1 to 100 characters, and without space around it. */
export function isReadableName(text: string): boolean {
  return isReadableText(text, 100) && visible.test(text) && text.trim() === text;
}

/** Whether a text can be the label of an entry of a network whitelist. */
export function isNetworkLabel(label: string): boolean {
  return isReadableText(label, 100);
}

/**
 * Patterns for JSON Schemas, whose readers may know neither Unicode classes nor look-around. They accept more than the checks:
 * invisible characters that are rare.
 */
export const plainPatterns = {
  /** May be empty. */
  line: String.raw`^[^\x00-\x1f\x7f-\x9f]*$`,
  someLine: String.raw`^[^\x00-\x1f\x7f-\x9f]+$`,
  /** Without space around it. */
  name: String.raw`^[^\x00-\x20\x7f-\xa0](?:[^\x00-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\xa0])?$`,
} as const;
