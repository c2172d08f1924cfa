import { componentValue, type SignedMessage } from './components.ts';

/**
 * Builds the signature base (RFC 9421 section 2.5): one line per covered component, joined by `\n`, with none at the
 * end. No value may contain a line break; the caller must have checked that.
 *
 * @param identifiers the covered components, in order and without parameters
 * @param signatureParams the value of `@signature-params` (section 2.3), as it appears in `Signature-Input`
 * @throws Error when the message lacks a covered component: otherwise a missing one would be signed as an empty value
 */
export function signatureBase(
  identifiers: readonly string[],
  message: SignedMessage,
  signatureParams: string,
): string {
  let base = '';
  for (const identifier of identifiers) {
    const value = componentValue(identifier, message);
    if (value === undefined) throw new Error(`The message has no component "${identifier}".`);
    base += `"${identifier}": ${value}\n`;
  }
  return `${base}"@signature-params": ${signatureParams}`;
}
