import type { IncomingMessage } from 'node:http';

/** Whether a request only reads. A stranger's body is nothing that a page reads: such a request goes the way of all others. */
export function isReading({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length'] ?? 0) > 0);
}

/** The entity tags of the versions that the browser has already, for a weak comparison (RFC 9110 section 13.1.2). */
export function knownVersions({ headers }: IncomingMessage): readonly string[] {
  return (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}
