/** The headers that a signature consists of, in lower case: those of an earlier attempt are replaced or removed. */
const names: ReadonlySet<string> = new Set(['content-digest', 'date', 'signature', 'signature-input']);

/** Returns header lines without those of a signature. */
export function withoutSignature(
  headers: readonly (readonly [name: string, value: string])[],
): (readonly [name: string, value: string])[] {
  return headers.filter(([name]) => !isSignatureHeader(name));
}

function isSignatureHeader(name: string): boolean {
  return names.has(name.toLowerCase());
}
