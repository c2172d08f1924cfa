import { createHash, randomBytes } from 'node:crypto';

/** A new secret for a link or a cookie: 256 random bits, 43 characters that can stand in a URL. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of a token: nobody can use a link who reads the database. Tokens are random, so nothing slower is needed. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
