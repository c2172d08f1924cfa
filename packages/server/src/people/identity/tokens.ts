import { createHash, randomBytes } from 'node:crypto';

/** Creates a secret for a link or a cookie: 256 random bits as 43 characters that need no escaping in a URL. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the form in which tokens are stored, which is useless to anyone who reads the database. Random tokens
 * need no slow hash.
 */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
