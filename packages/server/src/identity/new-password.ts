import { ProblemError } from '@countersign/gate';
import { isWeakPassword } from './password-strength.ts';
import { hashPassword } from './passwords.ts';

/**
 * Hashes a password that somebody has chosen.
 *
 * @throws ProblemError `password_too_weak`
 */
export async function hashNewPassword(
  password: string,
  about: { readonly email: string; readonly name: string; readonly serviceName: string },
): Promise<string> {
  if (isWeakPassword(password, about)) throw new ProblemError('password_too_weak');
  return hashPassword(password);
}
