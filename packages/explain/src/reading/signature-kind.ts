import { readDerSignature } from './der-signature.ts';

/** Determines from length and form which kind of signature it is, if it is not the profile's. */
export function otherKind(bytes: Uint8Array): string | undefined {
  if (readDerSignature(bytes)) return `${bytes.length} bytes in DER, as ECDSA writes them`;
  const kind = kindsByLength[bytes.length];
  return kind === undefined ? undefined : `${bytes.length} bytes are ${kind}`;
}

// Excludes 48 and 96 bytes, which Base64 truncated after 64 and 128 characters also gives.
const kindsByLength: Readonly<Record<number, string>> = {
  16: 'an MD5 hash or an HMAC-MD5',
  20: 'a SHA-1 hash or an HMAC-SHA1',
  32: 'an HMAC-SHA256 or a SHA-256 hash',
  64: 'an Ed25519 signature, a raw ECDSA P-256 signature, or an HMAC-SHA512',
  114: 'an Ed448 signature',
  132: 'a raw ECDSA P-521 signature',
};
