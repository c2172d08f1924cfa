// For an authorizer with "body": "digest". The proxy kept the body, so Countersign verified its digest alone; the API
// compares the two before it believes a byte. A request without the header is refused too.
import { createHash } from 'node:crypto';

/** Returns true if these are the bytes that the client signed. */
export function isVerifiedBody(body, headers) {
  const digest = createHash('sha256').update(body).digest('base64');
  return headers['countersign-content-digest'] === `sha-256=:${digest}:`;
}
