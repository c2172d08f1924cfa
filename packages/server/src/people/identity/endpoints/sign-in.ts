import { ProblemError } from '@countersign/gate';
import { z } from 'zod';
import { attempt, signInSubject } from '../attempts.ts';
import { codeSchema, emailSchema, givenPasswordSchema, recoveryCodeSchema } from '../body-schemas.ts';
import { signInCookie } from '../cookies.ts';
import { sessionCookie } from '../../sessions/session-cookie.ts';
import { type Call, emptyBody, type Endpoint, endpoint, nextStep, ok } from '../endpoint.ts';
import { afterFirstFactor, beginSession } from '../finish-sign-in.ts';
import type { BrowserOwner } from '../known-browsers.ts';
import { readOnce, takeOnce } from '../one-time.ts';
import { beginProof, passkeyResponseSchema, provePasskey, requirePasskeysPossible } from '../passkeys.ts';
import { canonicalEmail, findPerson, type PersonRecord } from '../persons.ts';
import { useRecoveryCode, useTotpCode } from '../second-factors.ts';
import { endSessions } from '../sessions.ts';

/** The endpoints for sign-in with password and second factor, for sign-in with a passkey alone, and for sign-out. */
export const signInEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'sign-in',
    needs: 'nothing',
    body: z.strictObject({ email: emailSchema, password: givenPasswordSchema }),
    answer: async (call, { email, password }) =>
      nextStep(await afterFirstFactor(call, await checkPassword(call, email, password))),
  }),
  endpoint({
    method: 'POST',
    path: 'second-factor',
    needs: 'nothing',
    body: z.union([
      z.strictObject({ code: codeSchema }),
      z.strictObject({ recoveryCode: recoveryCodeSchema }),
    ]),
    answer: async (call, given) => {
      const token = call.cookies.read(signInCookie);
      const person = await pendingPerson(call);
      if (token === undefined || person === undefined) throw new ProblemError('session_required');
      const subject = await signInSubject(call, person, 'second-factor');
      await attempt(call, subject, async () => {
        await proveSecondFactor(call, person.userId, given);
        // Two requests with two right codes get one session.
        if ((await takeOnce(call.database, 'sign-in', token, call.nowMs)) !== person.userId)
          throw new ProblemError('session_required');
      });
      await beginSession(call, person, 'factor');
      return nextStep('portal');
    },
  }),
  endpoint({
    method: 'POST',
    path: 'sign-out',
    needs: 'nothing',
    body: emptyBody,
    answer: async ({ session, cookies, database, nowMs }) => {
      if (session !== undefined) await endSessions(database, session.userId, { only: session.sessionId });
      const token = cookies.read(signInCookie);
      if (token !== undefined) await takeOnce(database, 'sign-in', token, nowMs);
      cookies.remove(sessionCookie);
      cookies.remove(signInCookie);
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'POST',
    path: 'passkey/options',
    needs: 'nothing',
    body: emptyBody,
    answer: async (call) => {
      requirePasskeysPossible(call);
      return ok(await beginProof(call));
    },
  }),
  endpoint({
    method: 'POST',
    path: 'passkey/sign-in',
    needs: 'nothing',
    body: z.strictObject({ response: passkeyResponseSchema }),
    answer: async (call, { response }) => {
      await beginSession(call, await provePasskey(call, response), 'factor');
      return nextStep('portal');
    },
  }),
];

/**
 * Returns the person with this email address if the password is right. Unknown addresses get the same response
 * after the same time.
 *
 * @throws ProblemError `credentials_invalid`, `too_many_attempts`
 */
export async function checkPassword(call: Call, email: string, password: string): Promise<PersonRecord> {
  const person = await findPerson(call.database, { email });
  const subject = await signInSubject(call, person ?? dummyPerson(email), 'person');
  return attempt(call, subject, async () => {
    const isRight = await call.passwords.verify(password, person?.passwordHash);
    if (person === undefined || !isRight) throw new ProblemError('credentials_invalid');
    return person;
  });
}

/** A dummy person without known browsers, so that unknown emails take the same time. */
function dummyPerson(email: string): BrowserOwner & { readonly email: string } {
  return { userId: '', email: canonicalEmail(email), passwordHash: '' };
}

/**
 * Uses up a code or a recovery code.
 *
 * @throws ProblemError `second_factor_invalid`
 */
export async function proveSecondFactor(
  { database, secret, nowMs }: Call,
  userId: string,
  given: { readonly code: string } | { readonly recoveryCode: string },
): Promise<void> {
  const isRight =
    'recoveryCode' in given
      ? await useRecoveryCode(database, userId, given.recoveryCode)
      : await useTotpCode(database, await secret(), userId, given.code, nowMs);
  if (!isRight) throw new ProblemError('second_factor_invalid');
}

/** Returns the person who has given the first factor in this browser but not yet the second. */
export async function pendingPerson({ cookies, database, nowMs }: Call): Promise<PersonRecord | undefined> {
  const token = cookies.read(signInCookie);
  const userId = token && (await readOnce(database, 'sign-in', token, nowMs));
  return userId ? findPerson(database, { userId }) : undefined;
}
