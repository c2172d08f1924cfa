/** A request as far as components are taken from it (RFC 9421 section 2). */
export interface SignedMessage {
  /** As sent; methods are case-sensitive. */
  readonly method: string;
  /** The full URL as called. */
  readonly targetUri: string;
  /** The values of header fields by lower-case name (section 2.1). */
  readonly fields: Readonly<Record<string, string | undefined>>;
}

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

/** Derived components by identifier (RFC 9421 section 2.2). */
const derivedComponents: ReadonlyMap<string, (message: SignedMessage) => string> = new Map([
  ['@method', ({ method }) => method], // 2.2.1
  ['@target-uri', ({ targetUri }) => targetUri], // 2.2.2
]);

/** The value of a component without parameters; undefined when the message does not have it. */
function componentValue(identifier: string, message: SignedMessage): string | undefined {
  const derive = derivedComponents.get(identifier);
  if (derive !== undefined) return derive(message);
  // A name such as "constructor" is no field.
  return Object.hasOwn(message.fields, identifier) ? message.fields[identifier] : undefined;
}
