import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { browserCookie } from './cookies.ts';
import type { Call } from './endpoint.ts';
import type { PersonRecord } from './persons.ts';
import { newToken } from './tokens.ts';

/** The person to whom a browser is known. A new password makes every browser unknown again. */
export type BrowserOwner = Pick<PersonRecord, 'userId' | 'passwordHash'>;

/** How long a browser stays known after the last sign-in. */
const knownDays = 180;

/**
 * Marks the browser in which a person has signed in, so that password guesses there are counted separately
 * ("device cookies", OWASP). The cookie grants nothing, identifies no one and is worthless to anyone else.
 * People without a password get none, because there is no password to guess.
 */
export async function setKnownBrowser({ cookies, nowMs, secret }: Call, owner: BrowserOwner): Promise<void> {
  if (owner.passwordHash === undefined) return;
  const browser = `${newToken()}.${nowMs + knownDays * 86_400_000}`;
  const proof = proofOf(await secret(), owner, browser);
  cookies.set(browserCookie, `${browser}.${proof}`, knownDays * 86_400);
}

/** Returns the browser's name if the person has signed in there before. */
export async function readKnownBrowser(
  { cookies, nowMs, secret }: Call,
  owner: BrowserOwner,
): Promise<string | undefined> {
  const match = /^([A-Za-z0-9_-]{43}\.([0-9]{1,15}))\.([A-Za-z0-9_-]{43})$/.exec(
    cookies.read(browserCookie) ?? '',
  );
  if (match === null || owner.passwordHash === undefined) return undefined;
  const [, browser = '', expiresAtMs, proof = ''] = match;
  const expected = proofOf(await secret(), owner, browser);
  const isProved = timingSafeEqual(Buffer.from(proof), Buffer.from(expected));
  return isProved && Number(expiresAtMs) > nowMs ? browser : undefined;
}

function proofOf(secret: string, { userId, passwordHash = '' }: BrowserOwner, browser: string): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'countersign known browser', 32));
  // None of the three contains a space.
  return createHmac('sha256', key).update(`${userId} ${passwordHash} ${browser}`).digest('base64url');
}
