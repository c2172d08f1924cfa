import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { browserCookie, readCookie, setCookie } from './cookies.ts';
import type { PersonRecord } from './persons.ts';
import { newToken } from './tokens.ts';

/** Whom a browser is known to, with the password that it has: another password makes all browsers strange again. */
export type BrowserOwner = Pick<PersonRecord, 'userId' | 'passwordHash'>;

/** How long a browser stays known after the last sign-in there. */
const knownDays = 180;
const dayMs = 86_400_000;

/** The key that the cookies of known browsers are made with, from the secret of the service. */
export function browserKeyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'countersign known browser', 32));
}

/**
 * A `Set-Cookie` line for a browser in which a person has signed in, so that it is counted apart when passwords are guessed
 * ("device cookies", OWASP). It opens nothing, names nobody, and is worth nothing for another person. Undefined for somebody
 * without a password, which cannot be guessed.
 */
export function knownBrowserCookie(key: Buffer, owner: BrowserOwner, nowMs: number): string | undefined {
  if (owner.passwordHash === undefined) return undefined;
  const browser = `${newToken()}.${nowMs + knownDays * dayMs}`;
  return setCookie(browserCookie, `${browser}.${proofOf(key, owner, browser)}`, knownDays * 86_400);
}

/** The name of the browser that a `Cookie` header is of, when the person has signed in there; undefined otherwise. */
export function readKnownBrowser(
  key: Buffer,
  owner: BrowserOwner,
  cookieHeader: string | undefined,
  nowMs: number,
): string | undefined {
  const match = /^([A-Za-z0-9_-]{43}\.([0-9]{1,15}))\.([A-Za-z0-9_-]{43})$/.exec(
    readCookie(cookieHeader, browserCookie) ?? '',
  );
  if (match === null || owner.passwordHash === undefined) return undefined;
  const [, browser = '', expiresAtMs, proof = ''] = match;
  const isProved = timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(key, owner, browser)));
  return isProved && Number(expiresAtMs) > nowMs ? browser : undefined;
}

function proofOf(key: Buffer, { userId, passwordHash = '' }: BrowserOwner, browser: string): string {
  // None of them has a space in it.
  return createHmac('sha256', key).update(`${userId} ${passwordHash} ${browser}`).digest('base64url');
}
