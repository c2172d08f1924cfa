import { thumbprintText } from '@countersign/signature/messages/request';
import {
  algorithmOfEncodedKey,
  readEncodedPublicKey,
  readKeyText,
  readSubjectPublicKeyInfo,
} from '@countersign/signature/keys';
import { urlSafeBase64, utf8Bytes } from '../byte-text.ts';
import type { CandidateKey } from '../explanation.ts';
import { sha256 } from '@countersign/signature/hashes';

/** Returns the thumbprint of a key as a JWK (RFC 7638 section 3), which Web Bot Auth uses as `keyid`; undefined for other kinds. */
export function thumbprintOf({ spkiPem }: Pick<CandidateKey, 'spkiPem'>): string | undefined {
  const known = thumbprints.get(spkiPem);
  if (known !== undefined) return known;
  const text = readKeyText(spkiPem);
  const jwk = 'der' in text ? jwkOf(text.der) : undefined;
  const ofJwk = jwk && thumbprintText(jwk);
  if (ofJwk === undefined) return undefined;
  const thumbprint = base64url(sha256(utf8Bytes(ofJwk)));
  if (thumbprints.size >= thumbprintsMax) thumbprints.clear();
  thumbprints.set(spkiPem, thumbprint);
  return thumbprint;
}

/** An account has hundreds of keys, and each explanation may read them all. */
const thumbprints = new Map<string, string>();
const thumbprintsMax = 1000;

function jwkOf(spkiDer: Uint8Array): Readonly<Record<string, string>> | undefined {
  const algorithm = algorithmOfEncodedKey(spkiDer);
  if (algorithm === undefined) return undefined;
  if (algorithm === 'rsa-v1_5-sha256') {
    const numbers = readSubjectPublicKeyInfo(spkiDer);
    if (typeof numbers === 'string') return undefined;
    return { kty: 'RSA', n: base64url(numbers.modulus), e: base64url(withoutZeros(numbers.exponent)) };
  }
  if (algorithm === 'ed25519') return { kty: 'OKP', crv: 'Ed25519', x: base64url(spkiDer.subarray(-32)) };
  const point = readEncodedPublicKey(spkiDer)?.subjectPublicKey;
  // 04, x, y: other forms are not registered.
  if (point === undefined || point[0] !== 4) return undefined;
  const half = (point.length - 1) / 2;
  return {
    kty: 'EC',
    crv: algorithm === 'ecdsa-p256-sha256' ? 'P-256' : 'P-384',
    x: base64url(point.subarray(1, 1 + half)),
    y: base64url(point.subarray(1 + half)),
  };
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? bytes : bytes.subarray(first);
}

function base64url(bytes: Uint8Array): string {
  return urlSafeBase64(bytes).replace(/=+$/, '');
}
