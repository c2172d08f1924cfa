import { componentValue, type SignedMessage } from './components.ts';

/**
 * Builds the signature base (RFC 9421 section 2.5): one line for each covered component, joined by `\n`, none at the end.
 * No value may hold a line end; the caller has checked that.
 *
 * @param identifiers the covered components, in their order and without parameters
 * @param signatureParams the value of `@signature-params` (section 2.3), as it stands in `Signature-Input`
 * @throws Error when the message lacks a covered component: an empty value would be signed for a missing one
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
