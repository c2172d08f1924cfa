/**
 * The session cookie. Browsers accept a `__Host-` cookie only from this exact host and only with `Secure` (RFC 6265bis
 * section 4.1.3.2); `http://localhost` counts as secure.
 */
export const sessionCookie = '__Host-countersign-session';
