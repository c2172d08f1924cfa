import { decodeBase64 } from '../rfc9421/base64.ts';

/** Reads Base64url without padding, as the members of a JWK have it (RFC 7515 section 2). Undefined for anything else. */
export function readBase64Url(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || !/^[A-Za-z0-9_-]+$/.test(value)) return undefined;
  const padding = '='.repeat((4 - (value.length % 4)) % 4);
  return decodeBase64(value.replaceAll('-', '+').replaceAll('_', '/') + padding);
}
