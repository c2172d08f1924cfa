import { ProblemError } from '@countersign/gate';
import type { Call } from './endpoint.ts';
import { countAttempt, countedSubjects, type GuessSubject } from './guess-limit.ts';
import { type BrowserOwner, readKnownBrowser } from './known-browsers.ts';
import { TooBusyError } from './passwords.ts';
import type { PersonRecord } from './persons.ts';

/**
 * Runs an attempt to prove something. It counts as a failure before it runs, against the subject and, unless
 * that is counted separately, against the source address; success subtracts it again. If the machine had no
 * time to check, it does not count.
 *
 * @throws ProblemError `too_many_attempts`, and whatever `prove` throws to reject the attempt
 */
export async function attempt<Result>(
  { source, nowMs, database }: Call,
  subject: GuessSubject | undefined,
  prove: () => Promise<Result>,
): Promise<Result> {
  const counted = await countAttempt(database, countedSubjects(source.address, subject), nowMs);
  if ('retryAfterSeconds' in counted) throw tooManyAttempts(counted.retryAfterSeconds);
  try {
    const result = await prove();
    await counted.takeBack();
    return result;
  } catch (error) {
    if (error instanceof TooBusyError) await counted.takeBack();
    throw error;
  }
}

/**
 * Returns the subject of a sign-in attempt: the person in a browser in which they have signed in before, or
 * this kind of guess in all other browsers together.
 */
export async function signInSubject(
  call: Call,
  person: BrowserOwner & Pick<PersonRecord, 'email'>,
  elsewhere: 'person' | 'second-factor',
): Promise<GuessSubject> {
  const { email } = person;
  const browser = await readKnownBrowser(call, person);
  return browser === undefined ? { kind: elsewhere, email } : { kind: 'browser', email, browser };
}

export function tooManyAttempts(retryAfterSeconds: number): ProblemError {
  return new ProblemError('too_many_attempts', { members: { retryAfterSeconds } });
}
