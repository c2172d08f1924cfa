/** Returns a cookie's value from a `Cookie` header; undefined if it is missing or repeated. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > headerCharactersMax) return undefined;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

const headerCharactersMax = 8192;
