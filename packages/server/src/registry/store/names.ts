import { RegistryError } from '../registry-error.ts';

/**
 * Refuses a name that people could not read or could be deceived by: empty, longer than 100 characters, with control
 * or direction characters, or with space around it.
 *
 * @throws RegistryError `name_invalid`
 */
export function checkName(name: string): void {
  if (readableName.test(name) && name.trim() === name) return;
  throw new RegistryError(
    'name_invalid',
    'Write a name of 1 to 100 characters, without control characters and without space at its start or end.',
  );
}

/**
 * Refuses a clientId that could not stand in a signature as it is (RFC 9651 section 3.3.3: quotes and backslashes
 * would have to be escaped there).
 *
 * @throws RegistryError `client_id_invalid`
 */
export function checkClientId(clientId: string): void {
  if (/^[!#-[\]-~]{1,256}$/.test(clientId)) return;
  throw new RegistryError(
    'client_id_invalid',
    'Write a clientId of 1 to 256 visible ASCII characters, without spaces, double quotes and backslashes.',
  );
}

const readableName = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]{1,100}$/u;
