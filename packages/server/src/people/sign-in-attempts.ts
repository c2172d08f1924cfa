import { ProblemError } from '../upstream/upstream.ts';
import type { PeopleParts, PeopleRequest } from './endpoint.ts';
import { TooBusyError, verifyPassword } from './passwords.ts';
import { type CountedAttempt, countAttempt, type GuessSubject } from './guess-limit.ts';

/**
 * Counts an attempt to prove who somebody is, by the address that it comes from and by the person that it is about.
 *
 * @param about the email of the person, or undefined; `own` in a session of that person
 * @throws ProblemError `too_many_attempts`
 */
export async function beginAttempt(
  { source, nowMs }: PeopleRequest,
  { database }: PeopleParts,
  about: string | { readonly own: string } | undefined,
): Promise<CountedAttempt> {
  const subjects: GuessSubject[] = [{ kind: 'address', address: source.address }];
  if (typeof about === 'string') subjects.push({ kind: 'person', email: about });
  else if (about !== undefined) subjects.push({ kind: 'proof', email: about.own });
  const attempt = await countAttempt(database, subjects, nowMs);
  if ('retryAfterSeconds' in attempt) throw tooManyAttempts(attempt.retryAfterSeconds);
  return attempt;
}

/**
 * Whether the password of an attempt is right. When the machine has no time to look at it, it was no attempt.
 *
 * @throws TooBusyError
 */
export async function isPasswordRight(
  attempt: CountedAttempt,
  password: string,
  hash: string | undefined,
): Promise<boolean> {
  try {
    return await verifyPassword(password, hash);
  } catch (error) {
    if (error instanceof TooBusyError) await attempt.takeBack();
    throw error;
  }
}

/** The refusal of an attempt that is not looked at. */
export function tooManyAttempts(retryAfterSeconds: number): ProblemError {
  return new ProblemError('too_many_attempts', { members: { retryAfterSeconds } });
}
