import { encodeBase64 } from './base64.ts';

/** The Base64 of 32 bytes: 43 characters, the last of which carries two unused bits that must be zero, and padding. */
const pattern = /^sha-256=:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=:$/;

/** The `Content-Digest` field for a body with this SHA-256 digest (RFC 9530 section 2). */
export function formatContentDigest(sha256Digest: Uint8Array): string {
  return contentDigestOf(encodeBase64(sha256Digest));
}

/** The `Content-Digest` field for a body whose SHA-256 digest has this Base64. */
export function contentDigestOf(sha256Base64: string): string {
  return `sha-256=:${sha256Base64}:`;
}

/**
 * Whether a field holds exactly one `sha-256` digest in its canonical text. Good RFC 9530 fields with other or several
 * algorithms are not in the profile. The text being canonical, two digests are equal when their texts are.
 */
export function isContentDigest(text: string): boolean {
  return pattern.test(text);
}
