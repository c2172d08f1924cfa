/** A request, with everything that components are taken from (RFC 9421 section 2). */
export interface SignedMessage {
  /** As sent; methods are case-sensitive. */
  readonly method: string;
  /** The full URL as called. */
  readonly targetUri: string;
  /** Header field values by lower-case name (section 2.1). */
  readonly fields: Readonly<Record<string, string | undefined>>;
}

/** Derived components by identifier (RFC 9421 section 2.2). */
const derivedComponents: Readonly<Record<string, (message: SignedMessage) => string>> = {
  '@method': ({ method }) => method, // 2.2.1
  '@target-uri': ({ targetUri }) => targetUri, // 2.2.2
};

/** Returns the value of a component without parameters; undefined if the message does not have it. */
export function componentValue(identifier: string, message: SignedMessage): string | undefined {
  const derive = derivedComponents[identifier];
  return derive === undefined ? message.fields[identifier] : derive(message);
}
