/**
 * The cookie of a session. The prefix makes browsers refuse it from anywhere but this very host, and without `Secure`
 * (RFC 6265bis section 4.1.3.2); they take `http://localhost` for secure too.
 */
export const sessionCookie = '__Host-countersign-session';
/** A sign-in that waits for its second factor. */
export const signInCookie = '__Host-countersign-sign-in';
/** The challenge of a passkey. */
export const passkeyCookie = '__Host-countersign-passkey';
/** The way to the identity provider and back. */
export const identityProviderCookie = '__Host-countersign-oidc';

/** A browser in which somebody has signed in before. */
export const browserCookie = '__Host-countersign-browser';

/** The value of a cookie in a `Cookie` header; undefined when it is absent, or there more than once. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > headerCharactersMax) return undefined;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

/**
 * A `Set-Cookie` line that scripts cannot read and that no other site can have sent along.
 *
 * @param maxAgeSeconds how long browsers keep it; 0 takes it away
 * @param sameSite `Lax` only where another site leads back here
 */
export function setCookie(
  name: string,
  value: string,
  maxAgeSeconds: number,
  sameSite: 'Strict' | 'Lax' = 'Strict',
): string {
  return `${name}=${value}; Path=/; Max-Age=${Math.floor(maxAgeSeconds)}; Secure; HttpOnly; SameSite=${sameSite}`;
}

/** A `Set-Cookie` line that takes a cookie away. */
export function removeCookie(name: string): string {
  return setCookie(name, '', 0);
}

const headerCharactersMax = 8192;
