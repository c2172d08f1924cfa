import { profileLimits } from './profiles.ts';

/** Returns true for what can be a `keyid` here, by any profile: 1 to 256 visible ASCII characters without spaces. */
export function isKeyid(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= profileLimits.keyidLengthMax && /^[\x21-\x7e]+$/.test(value)
  );
}
