/** The headers that a signature consists of, in lower case. Those of an earlier attempt are replaced or removed. */
export const signatureHeaderNames = ['content-digest', 'date', 'signature', 'signature-input'] as const;

/**
 * The headers that an adapter or its client writes, whatever the caller gave: those of the signature, and those that say
 * where the body ends (RFC 9112 section 6). Of a body that is longer than it says, the rest is read as the next request on
 * the connection.
 */
export const ownHeaderNames: readonly string[] = [
  ...signatureHeaderNames,
  'content-length',
  'transfer-encoding',
];

const own: ReadonlySet<string> = new Set(ownHeaderNames);

export function isOwnHeader(name: string): boolean {
  return own.has(name.toLowerCase());
}

/** Returns the header lines that are the caller's to write. */
export function withoutOwn(headers: Iterable<readonly [name: string, value: string]>): [string, string][] {
  return [...headers].flatMap(([name, value]): [string, string][] =>
    isOwnHeader(name) ? [] : [[name, value]],
  );
}
