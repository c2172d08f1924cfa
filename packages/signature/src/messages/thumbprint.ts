import { wrongType } from '../arguments/check-argument.ts';
import { encodeBase64 } from '../rfc9421/base64.ts';
import type { MessagePlatform } from './platform.ts';

/** The members that a thumbprint is made of, in their order (RFC 7638 section 3.2, RFC 8037 section 2). */
const members: Readonly<Record<string, readonly string[]>> = {
  RSA: ['e', 'kty', 'n'],
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
};

/** Returns the text that a JWK's thumbprint is the SHA-256 of (RFC 7638 section 3); undefined for anything but a public key. */
export function thumbprintText(jwk: Readonly<Record<string, unknown>>): string | undefined {
  const names =
    typeof jwk['kty'] === 'string' && Object.hasOwn(members, jwk['kty']) ? members[jwk['kty']]! : [];
  if (names.length === 0 || !names.every((name) => typeof jwk[name] === 'string')) return undefined;
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, jwk[name]])));
}

/** Returns a JWK's thumbprint, which Web Bot Auth uses as `keyid`: base64url of its SHA-256, 43 characters (RFC 7638). */
export async function thumbprintOn(
  { digest }: MessagePlatform,
  jwk: Readonly<Record<string, unknown>>,
): Promise<string> {
  const text = thumbprintText(jwk);
  if (text === undefined) throw wrongType('key', jwk, 'a public key');
  const hash = await digest('sha-256', new TextEncoder().encode(text));
  return encodeBase64(hash).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
