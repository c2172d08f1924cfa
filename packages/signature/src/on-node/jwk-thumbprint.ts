import { hash, type KeyObject } from 'node:crypto';
import { thumbprintText } from '../messages/thumbprint.ts';

/**
 * Returns the thumbprint of a public JWK (RFC 7638): base64url of a SHA-256, 43 characters. Undefined if its members are not those
 * of a key. Equal for equal keys only if the members are in their canonical form, as those that Node exports are.
 */
export function jwkThumbprint(jwk: Readonly<Record<string, unknown>>): string | undefined {
  const text = thumbprintText(jwk);
  return text === undefined ? undefined : hash('sha256', text, 'base64url');
}

/** Returns the thumbprint of a public key. */
export function keyObjectThumbprint(publicKey: KeyObject): string {
  return jwkThumbprint({ ...publicKey.export({ format: 'jwk' }) })!;
}
