/** Returns the values of all header lines with a name, as one list (RFC 9110 section 5.3); undefined without a line. */
export function headerValue(
  lines: readonly (readonly [name: string, value: string])[],
  name: string,
): string | undefined {
  const values = lines.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}
