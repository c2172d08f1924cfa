import { createPublicKey, hash, type KeyObject } from 'node:crypto';

/** A JWK Set (RFC 7517 section 5). */
export interface JwkSet {
  readonly keys: readonly object[];
}

/** A key that verifies the gateway's signatures. */
export interface VerifyingKey {
  readonly keyObject: KeyObject;
  /** Unix seconds; infinite if the key has no end. */
  readonly endsAtSeconds: number;
}

/**
 * Reads the Ed25519 keys of a JWK Set, by their thumbprints (RFC 7638), which are computed here. Other
 * entries are ignored: they may be for other purposes.
 *
 * @throws TypeError if the value is not a JWK Set
 */
export function readKeySet(value: unknown): ReadonlyMap<string, VerifyingKey> {
  const keys = typeof value === 'object' && value !== null && 'keys' in value ? value.keys : undefined;
  if (!Array.isArray(keys)) throw new TypeError('It is no JWK Set: it has no list of keys.');
  return new Map(keys.flatMap((key: unknown) => readKey(key)));
}

function readKey(value: unknown): [string, VerifyingKey][] {
  if (typeof value !== 'object' || value === null) return [];
  const { kty, crv, x, use, exp } = value as Readonly<Record<string, unknown>>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || (use !== undefined && use !== 'sig')) return [];
  if (typeof x !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(x)) return [];
  if (exp !== undefined && !(typeof exp === 'number' && Number.isFinite(exp))) return [];
  const thumbprint = hash('sha256', JSON.stringify({ crv, kty, x }), 'base64url');
  const keyObject = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
  return [[thumbprint, { keyObject, endsAtSeconds: exp ?? Number.POSITIVE_INFINITY }]];
}
