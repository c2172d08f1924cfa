import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { browserCookie, type Cookies } from './cookies.ts';
import type { PersonRecord } from './persons.ts';
import { newToken } from './tokens.ts';

/** Who a browser is known to. A new password makes every browser unknown again. */
export type BrowserOwner = Pick<PersonRecord, 'userId' | 'passwordHash'>;

/** How long a browser stays known after the last sign-in. */
const knownDays = 180;

/**
 * Marks the browser in which a person has signed in, so that password guesses there are counted separately ("device
 * cookies", OWASP). The cookie grants nothing, names nobody and is worthless for anybody else. People without a password
 * get none: theirs can't be guessed.
 *
 * @param secret the service's secret
 */
export function setKnownBrowser(secret: string, owner: BrowserOwner, cookies: Cookies, nowMs: number): void {
  if (owner.passwordHash === undefined) return;
  const browser = `${newToken()}.${nowMs + knownDays * 86_400_000}`;
  cookies.set(browserCookie, `${browser}.${proofOf(secret, owner, browser)}`, knownDays * 86_400);
}

/** Returns the browser's name if the person has signed in there before. */
export function readKnownBrowser(
  secret: string,
  owner: BrowserOwner,
  cookies: Cookies,
  nowMs: number,
): string | undefined {
  const match = /^([A-Za-z0-9_-]{43}\.([0-9]{1,15}))\.([A-Za-z0-9_-]{43})$/.exec(
    cookies.read(browserCookie) ?? '',
  );
  if (match === null || owner.passwordHash === undefined) return undefined;
  const [, browser = '', expiresAtMs, proof = ''] = match;
  const isProved = timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(secret, owner, browser)));
  return isProved && Number(expiresAtMs) > nowMs ? browser : undefined;
}

function proofOf(secret: string, { userId, passwordHash = '' }: BrowserOwner, browser: string): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'countersign known browser', 32));
  // None of the three contains a space.
  return createHmac('sha256', key).update(`${userId} ${passwordHash} ${browser}`).digest('base64url');
}
