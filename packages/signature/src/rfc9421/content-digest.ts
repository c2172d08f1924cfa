import { encodeBase64 } from './base64.ts';

/** The Base64 of 32 bytes: 43 characters, the last of which has two unused bits that must be zero, and padding. */
const pattern = /^sha-256=:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=:$/;

/** Formats the `Content-Digest` field for a body with this SHA-256 digest (RFC 9530 section 2). */
export function formatContentDigest(sha256Digest: Uint8Array): string {
  return contentDigestOf(encodeBase64(sha256Digest));
}

/** Formats the `Content-Digest` field for a body whose SHA-256 digest has this Base64. */
export function contentDigestOf(sha256Base64: string): string {
  return `sha-256=:${sha256Base64}:`;
}

/**
 * Returns true if a field holds exactly one `sha-256` digest in canonical text. The profile excludes valid RFC 9530
 * fields with other or several algorithms. Because the text is canonical, comparing texts compares digests.
 */
export function isContentDigest(text: string): boolean {
  return pattern.test(text);
}
