import { ProblemError } from '@countersign/gate';
import type { PeopleParts, PeopleRequest } from './endpoint.ts';
import { TooBusyError, verifyPassword } from './passwords.ts';
import { type BrowserOwner, readKnownBrowser } from './known-browsers.ts';
import type { PersonRecord } from './persons.ts';
import { type CountedAttempt, countAttempt, type GuessSubject } from './guess-limit.ts';

/**
 * Counts an attempt to prove who somebody is, by the address that it comes from and by the person that it is about.
 *
 * @param about the email of the person, or undefined; `own` in a session of that person; with the known browser in which
 *   it is guessed
 * @throws ProblemError `too_many_attempts`
 */
export async function beginAttempt(
  { source, nowMs }: PeopleRequest,
  { database }: PeopleParts,
  about: AttemptAbout | undefined,
): Promise<CountedAttempt> {
  const subjects: GuessSubject[] = [{ kind: 'address', address: source.address }];
  if (typeof about === 'string') subjects.push({ kind: 'person', email: about });
  else if (about !== undefined && 'own' in about) subjects.push({ kind: 'proof', email: about.own });
  else if (about !== undefined) subjects.push({ kind: 'browser', ...about });
  const attempt = await countAttempt(database, subjects, nowMs);
  if ('retryAfterSeconds' in attempt) throw tooManyAttempts(attempt.retryAfterSeconds);
  return attempt;
}

/** Whom an attempt to sign in is about: a person, or it in a browser in which it has signed in before. */
export async function signInSubject(
  request: PeopleRequest,
  parts: PeopleParts,
  person: BrowserOwner & Pick<PersonRecord, 'email'>,
): Promise<AttemptAbout> {
  const { email } = person;
  const browser = await knownBrowserOf(request, parts, person);
  return browser === undefined ? email : { email, browser };
}

/** The name of the browser that a request comes from, when the person has signed in there before. */
export async function knownBrowserOf(
  { request, nowMs }: PeopleRequest,
  { browserKey }: PeopleParts,
  person: BrowserOwner,
): Promise<string | undefined> {
  return readKnownBrowser(await browserKey(), person, request.headers.cookie, nowMs);
}

type AttemptAbout = string | { readonly own: string } | { readonly email: string; readonly browser: string };

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
