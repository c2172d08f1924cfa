/** The parts of a request or a response that components are taken from (RFC 9421 section 2). */
export interface SignedMessage {
  /** As sent; methods are case-sensitive. Undefined for a response. */
  readonly method?: string;
  /** The full URL as called. Undefined for a response. */
  readonly targetUri?: string;
  /** Undefined for a request. */
  readonly status?: number;
  /** The request that a response answers, for components with the parameter `req` (section 2.4). */
  readonly request?: SignedMessage;
  /** Returns a header field's value by its lower-case name (section 2.1); undefined when it is missing. */
  field(name: string): string | undefined;
}

/** Everything the implementation needs to know about one component; of all parameters, it can have only `req`. */
export interface Component {
  /** The name, or with the parameter as in `Signature-Input`: `"@method";req`. */
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

/** Derived components by name (RFC 9421 section 2.2). */
const derived: ReadonlyMap<string, Component['read']> = new Map<string, Component['read']>([
  ['@method', ({ method }) => method], // 2.2.1
  ['@target-uri', ({ targetUri }) => targetUri], // 2.2.2
  ['@authority', ({ targetUri }) => targetUri && authorityIn(targetUri)], // 2.2.3
  ['@status', ({ status }) => (status === undefined ? undefined : String(status))], // 2.2.9
]);

/** Describes a component: a derived one that is implemented, or else a header field by its lower-case name. */
export function component(identifier: string): Component {
  const [, ofRequest] = /^"(.+)";req$/.exec(identifier) ?? [];
  const name = ofRequest ?? identifier;
  const read = derived.get(name) ?? ((message: SignedMessage) => message.field(name));
  return {
    identifier,
    linePrefix: `${identifierText(identifier)}: `,
    read: ofRequest === undefined ? read : ({ request }) => request && read(request),
  };
}

/** Writes an identifier as in `Signature-Input`. */
export function identifierText(identifier: string): string {
  return identifier.startsWith('"') ? identifier : `"${identifier}"`;
}

/** Returns the `@authority` of a URL with this scheme: in lower case, without the scheme's own port (section 2.2.3). */
export function normalAuthority(scheme: 'http' | 'https', authority: string): string {
  return authority.toLowerCase().replace(scheme === 'https' ? /:(?:443)?$/ : /:(?:80)?$/, '');
}

/** A target URI is a configured origin and a raw target, which starts with `/`. */
function authorityIn(targetUri: string): string | undefined {
  const [, scheme, authority] = /^(https?):\/\/([^/]+)\//.exec(targetUri) ?? [];
  return authority && normalAuthority(scheme as 'http' | 'https', authority);
}
