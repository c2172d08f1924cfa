/**
 * The session cookie. Browsers accept a `__Host-` cookie only from this exact host and only with `Secure` (RFC 6265bis
 * section 4.1.3.2); `http://localhost` counts as secure.
 */
export const sessionCookie = '__Host-countersign-session';

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
