import { ProblemError } from '@countersign/gate';
import type { PeopleParts, PeopleRequest } from './endpoint.ts';
import { countAttempt, type GuessSubject } from './guess-limit.ts';
import { type BrowserOwner, readKnownBrowser } from './known-browsers.ts';
import { TooBusyError } from './passwords.ts';
import type { PersonRecord } from './persons.ts';

/**
 * Runs one attempt to prove something. It counts as a failure, against the source address and the subject, before it
 * runs; success takes the count back. When the machine has no time to check, it was no attempt.
 *
 * @throws ProblemError `too_many_attempts`, and whatever `prove` throws to reject the attempt
 */
export async function attempt<Result>(
  { source, nowMs }: PeopleRequest,
  { database }: PeopleParts,
  subject: GuessSubject | undefined,
  prove: () => Promise<Result>,
): Promise<Result> {
  const subjects: GuessSubject[] = [{ kind: 'address', address: source.address }];
  if (subject !== undefined) subjects.push(subject);
  const counted = await countAttempt(database, subjects, nowMs);
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

/** The subject of a sign-in attempt: the person, or the person in a browser in which they have signed in before. */
export async function signInSubject(
  request: PeopleRequest,
  parts: PeopleParts,
  person: BrowserOwner & Pick<PersonRecord, 'email'>,
): Promise<GuessSubject> {
  const { email } = person;
  const browser = await knownBrowserOf(request, parts, person);
  return browser === undefined ? { kind: 'person', email } : { kind: 'browser', email, browser };
}

/** Returns the name of the request's browser if the person has signed in there before. */
export async function knownBrowserOf(
  { cookies, nowMs }: PeopleRequest,
  { secret }: PeopleParts,
  person: BrowserOwner,
): Promise<string | undefined> {
  return readKnownBrowser(await secret(), person, cookies, nowMs);
}

export function tooManyAttempts(retryAfterSeconds: number): ProblemError {
  return new ProblemError('too_many_attempts', { members: { retryAfterSeconds } });
}
