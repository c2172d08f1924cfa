import { encodeBase64 } from '../rfc9421/base64.ts';

/**
 * Returns a key's fingerprint: `SHA256:` and the Base64, without padding, of SHA-256 over the DER SubjectPublicKeyInfo.
 *
 * The Base64 comes from `openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64`. The
 * hash function is an argument, because not every runtime has a synchronous one.
 */
export function keyFingerprint(spkiDer: Uint8Array, sha256: (bytes: Uint8Array) => Uint8Array): string {
  return fingerprintFromDigest(sha256(spkiDer));
}

/** Formats a fingerprint from an existing digest, for runtimes with an asynchronous hash function. */
export function fingerprintFromDigest(digest: Uint8Array): string {
  return `SHA256:${encodeBase64(digest).replace(/=+$/, '')}`;
}
