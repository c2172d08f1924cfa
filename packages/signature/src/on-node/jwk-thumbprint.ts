import { hash, type KeyObject } from 'node:crypto';
import { thumbprintText } from '../messages/thumbprint.ts';

/** Returns the thumbprint of a public key (RFC 7638): base64url of a SHA-256, 43 characters. */
export function jwkThumbprint(publicKey: KeyObject): string {
  return hash('sha256', thumbprintText({ ...publicKey.export({ format: 'jwk' }) }), 'base64url');
}
