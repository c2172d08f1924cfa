import { z } from 'zod';
import { ProblemError } from '@countersign/gate';
import { attempt, signInSubject } from '../attempts.ts';
import { codeSchema, emailSchema, givenPasswordSchema, recoveryCodeSchema } from '../body-schemas.ts';
import { sessionCookie, signInCookie } from '../cookies.ts';
import {
  emptyBody,
  type Endpoint,
  endpoint,
  nextStep,
  type PeopleParts,
  type PeopleRequest,
} from '../endpoint.ts';
import { afterFirstFactor, beginSession } from '../finish-sign-in.ts';
import type { BrowserOwner } from '../known-browsers.ts';
import { readOnce, takeOnce } from '../one-time.ts';
import { canonicalEmail, findPerson, type PersonRecord } from '../persons.ts';
import { useRecoveryCode, useTotpCode } from '../second-factors.ts';
import { endSessions } from '../sessions.ts';

/** Sign-in with email, password and second factor; and sign-out. */
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
      const { nowMs } = request;
      const token = request.cookies.read(signInCookie);
      const person = await pendingPerson(request, parts);
      if (token === undefined || person === undefined) throw new ProblemError('session_required');
      await attempt(request, parts, await signInSubject(request, parts, person), async () => {
        await proveSecondFactor(parts, person.userId, given, nowMs);
        // Two requests with two right codes get one session.
        if ((await takeOnce(parts.database, 'sign-in', token, nowMs)) !== person.userId)
          throw new ProblemError('session_required');
      });
      await beginSession(request, parts, person, 'factor');
      return nextStep('portal');
    },
  }),
  endpoint({
    method: 'POST',
    path: 'sign-out',
    needs: 'nothing',
    body: emptyBody,
    answer: async ({ session, cookies, nowMs }, _input, { database }) => {
      if (session !== undefined) await endSessions(database, session.userId, { only: session.sessionId });
      const token = cookies.read(signInCookie);
      if (token !== undefined) await takeOnce(database, 'sign-in', token, nowMs);
      cookies.remove(sessionCookie);
      cookies.remove(signInCookie);
      return { status: 204 };
    },
  }),
];

/**
 * Returns the person with this email address if the password is right. Unknown addresses get the same answer after the
 * same time.
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
  const subject = await signInSubject(request, parts, person ?? dummyPerson(email));
  return attempt(request, parts, subject, async () => {
    const isRight = await parts.passwords.verify(password, person?.passwordHash);
    if (person === undefined || !isRight) throw new ProblemError('credentials_invalid');
    return person;
  });
}

/** Stands in for an unknown person, so that unknown emails take the same time. It has no known browsers. */
function dummyPerson(email: string): BrowserOwner & { readonly email: string } {
  return { userId: '', email: canonicalEmail(email), passwordHash: '' };
}

/**
 * Uses up a code or a recovery code.
 *
 * @throws ProblemError `second_factor_invalid`
 */
export async function proveSecondFactor(
  { database, secret }: PeopleParts,
  userId: string,
  given: { readonly code: string } | { readonly recoveryCode: string },
  nowMs: number,
): Promise<void> {
  const isRight =
    'recoveryCode' in given
      ? await useRecoveryCode(database, userId, given.recoveryCode)
      : await useTotpCode(database, await secret(), userId, given.code, nowMs);
  if (!isRight) throw new ProblemError('second_factor_invalid');
}

/** Returns the person who has given the first factor in this browser and still has to give the second. */
export async function pendingPerson(
  { cookies, nowMs }: PeopleRequest,
  { database }: PeopleParts,
): Promise<PersonRecord | undefined> {
  const token = cookies.read(signInCookie);
  if (token === undefined) return undefined;
  const userId = await readOnce(database, 'sign-in', token, nowMs);
  return userId === undefined ? undefined : findPerson(database, { userId });
}
