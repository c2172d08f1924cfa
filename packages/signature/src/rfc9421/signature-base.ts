/** The parts of a request that components are taken from (RFC 9421 section 2). */
export interface SignedMessage {
  /** As sent; methods are case-sensitive. */
  readonly method: string;
  /** The full URL as called. */
  readonly targetUri: string;
  /** Returns a header field's value by its lower-case name (section 2.1); undefined when it is missing. */
  field(name: string): string | undefined;
}

/** Everything the implementation needs to know about one component without parameters. */
export interface Component {
  readonly identifier: string;
  /** The start of its line in the signature base. */
  readonly linePrefix: string;
  /** Returns its value; undefined when the message lacks it. */
  readonly read: (message: SignedMessage) => string | undefined;
}

/**
 * Builds the signature base (RFC 9421 section 2.5): one line per covered component, joined by `\n`, with none at the
 * end. No value may contain a line break; the caller must have checked that.
 *
 * @param covered the covered components, in order
 * @param signatureParams the value of `@signature-params` (section 2.3), as it appears in `Signature-Input`
 * @throws Error when the message lacks a covered component: otherwise a missing one would be signed as an empty value
 */
export function signatureBase(
  covered: readonly Component[],
  message: SignedMessage,
  signatureParams: string,
): string {
  let base = '';
  for (const { identifier, linePrefix, read } of covered) {
    const value = read(message);
    if (value === undefined) throw new Error(`The message has no component "${identifier}".`);
    base += linePrefix + value + '\n';
  }
  return base + '"@signature-params": ' + signatureParams;
}

/** Derived components by identifier (RFC 9421 section 2.2). */
const derived: ReadonlyMap<string, Component['read']> = new Map([
  ['@method', (message: SignedMessage) => message.method], // 2.2.1
  ['@target-uri', (message: SignedMessage) => message.targetUri], // 2.2.2
]);

/** Describes a component: a derived one that is implemented, or else a header field by its lower-case name. */
export function component(identifier: string): Component {
  const read = derived.get(identifier) ?? ((message: SignedMessage) => message.field(identifier));
  return { identifier, linePrefix: `"${identifier}": `, read };
}
