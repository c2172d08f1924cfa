import { z } from 'zod';
import { ProblemError } from '@countersign/gate';
import { readCookie, removeCookie, sessionCookie, signInCookie } from '../cookies.ts';
import { type Endpoint, endpoint, nextStep, type PeopleParts, type PeopleRequest } from '../endpoint.ts';
import { afterFirstFactor, beginSession } from '../finish-sign-in.ts';
import type { BrowserOwner } from '../known-browsers.ts';
import { readOnce, takeOnce } from '../one-time.ts';
import { canonicalEmail, findPerson, type PersonRecord } from '../persons.ts';
import { useRecoveryCode, useTotpCode } from '../second-factors.ts';
import { endSessions } from '../sessions.ts';
import { beginAttempt, isPasswordRight, signInSubject } from '../sign-in-attempts.ts';
import { codeSchema, emailSchema, givenPasswordSchema, recoveryCodeSchema } from '../texts.ts';

/** Email and password, then the second factor; and the way out. */
export const signInEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'sign-in',
    needs: 'nothing',
    body: z.strictObject({ email: emailSchema, password: givenPasswordSchema }),
    answer: async (request, { email, password }, parts) => {
      const person = await checkPassword(request, parts, email, password);
      return afterFirstFactor(request, parts, person);
    },
  }),
  endpoint({
    method: 'POST',
    path: 'second-factor',
    needs: 'nothing',
    body: z.union([
      z.strictObject({ code: codeSchema }),
      z.strictObject({ recoveryCode: recoveryCodeSchema }),
    ]),
    answer: async (request, given, parts) => {
      const { database } = parts;
      const { nowMs } = request;
      const token = pendingToken(request);
      const person = await pendingPerson(request, parts);
      if (token === undefined || person === undefined) throw new ProblemError('session_required');
      const attempt = await beginAttempt(request, parts, await signInSubject(request, parts, person));
      const isRight = await isSecondFactor(parts, person.userId, given, nowMs);
      if (!isRight) throw new ProblemError('second_factor_invalid');
      // The sign-in is ended once: of two that come with two right codes, one gets the session.
      if ((await takeOnce(database, 'sign-in', token, nowMs)) !== person.userId)
        throw new ProblemError('session_required');
      await attempt.takeBack();
      await beginSession(request, parts, person, 'factor');
      return nextStep('portal');
    },
  }),
  endpoint({
    method: 'POST',
    path: 'sign-out',
    needs: 'nothing',
    body: z.strictObject({}),
    answer: async (request, _input, { database }) => {
      const { session, setCookies, nowMs } = request;
      if (session !== undefined) await endSessions(database, session.userId, { only: session.sessionId });
      const token = pendingToken(request);
      if (token !== undefined) await takeOnce(database, 'sign-in', token, nowMs);
      setCookies.push(removeCookie(sessionCookie), removeCookie(signInCookie));
      return { status: 204 };
    },
  }),
];

/**
 * The person of an email address, when the password is right. Who is not there is answered in the same words and the same
 * time.
 *
 * @throws ProblemError `credentials_invalid`, `too_many_attempts`
 */
export async function checkPassword(
  request: PeopleRequest,
  parts: PeopleParts,
  email: string,
  password: string,
): Promise<PersonRecord> {
  const person = await findPerson(parts.database, { email });
  const attempt = await beginAttempt(
    request,
    parts,
    await signInSubject(request, parts, person ?? nobody(email)),
  );
  const isRight = await isPasswordRight(attempt, password, person?.passwordHash);
  if (person === undefined || !isRight) throw new ProblemError('credentials_invalid');
  // A second factor may be to come, and whoever guesses that must not begin anew with each password.
  await attempt.takeBack();
  return person;
}

/** Takes the place of a person where there is none, so that as much is done. No browser is known to it. */
function nobody(email: string): BrowserOwner & { readonly email: string } {
  return { userId: '', email: canonicalEmail(email), passwordHash: '' };
}

/** Whether a code, or a recovery code, is right; then it is used up. */
export async function isSecondFactor(
  { database, identity }: PeopleParts,
  userId: string,
  given: { readonly code: string } | { readonly recoveryCode: string },
  nowMs: number,
): Promise<boolean> {
  if ('recoveryCode' in given) return useRecoveryCode(database, userId, given.recoveryCode);
  return useTotpCode(database, await identity(), userId, given.code, nowMs);
}

/** Who has given the first factor in this browser, and waits for the second. */
export async function pendingPerson(
  request: PeopleRequest,
  { database }: PeopleParts,
): Promise<PersonRecord | undefined> {
  const token = pendingToken(request);
  if (token === undefined) return undefined;
  const userId = await readOnce(database, 'sign-in', token, request.nowMs);
  return userId === undefined ? undefined : findPerson(database, { userId });
}

function pendingToken({ request }: PeopleRequest): string | undefined {
  return readCookie(request.headers.cookie, signInCookie);
}
