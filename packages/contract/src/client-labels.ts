import { clientLabelLimits } from './limits.ts';
import { isReadableText } from './readable-text.ts';

export const tagPattern: RegExp = /^[a-z0-9]+(?:[-_.:/][a-z0-9]+)*$/;
// Starts with a letter, so no key is a special name of JavaScript's objects.
export const metadataKeyPattern: RegExp = /^[A-Za-z][A-Za-z0-9_.-]*$/;

/** Returns true if a text can be a client's tag. Lower case only, so no two tags differ by case alone. */
export function isTag(text: string): boolean {
  return text.length <= clientLabelLimits.tagCharactersMax && tagPattern.test(text);
}

/** Returns true if a text can be the key of an entry in a client's metadata. */
export function isMetadataKey(text: string): boolean {
  return text.length <= clientLabelLimits.metadataKeyCharactersMax && metadataKeyPattern.test(text);
}

/** Returns true if a text can be a value in a client's metadata. */
export function isMetadataValue(text: string): boolean {
  return isReadableText(text, clientLabelLimits.metadataValueCharactersMax);
}
