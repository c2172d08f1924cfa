/** The headers that a signature consists of, in lower case. Those of an earlier attempt are replaced or removed. */
export const signatureHeaderNames = ['content-digest', 'date', 'signature', 'signature-input'] as const;

const names: ReadonlySet<string> = new Set(signatureHeaderNames);

export function isSignatureHeader(name: string): boolean {
  return names.has(name.toLowerCase());
}

/** Returns header lines without those of a signature. */
export function withoutSignature(
  headers: Iterable<readonly [name: string, value: string]>,
): [string, string][] {
  return [...headers].flatMap(([name, value]): [string, string][] =>
    isSignatureHeader(name) ? [] : [[name, value]],
  );
}
