import { profileLimits } from './profiles.ts';

/** Returns true for what can be a `keyid` here, by any profile: 1 to 256 visible ASCII characters without spaces. */
export function isKeyid(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= profileLimits.keyidLengthMax && /^[\x21-\x7e]+$/.test(value)
  );
}

/** Returns true for the form of a JWK thumbprint (RFC 7638): the base64url of a SHA-256. */
export function isThumbprint(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
