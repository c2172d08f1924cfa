import { z } from 'zod';
import { inTransaction } from '../../storage/transaction.ts';
import { ProblemError } from '@countersign/gate';
import { attempt, tooManyAttempts } from '../attempts.ts';
import { emailSchema, givenPasswordSchema, tokenSchema } from '../body-schemas.ts';
import { sessionCookie } from '../cookies.ts';
import { type Endpoint, endpoint, type PeopleParts, type PeopleRequest } from '../endpoint.ts';
import { countAttempt, forgetFailures } from '../guess-limit.ts';
import { resetLetter } from '../mail/letters.ts';
import { forgetValue, keepOnce, readOnce, takeOnce } from '../one-time.ts';
import { hashNewPassword } from '../password-strength.ts';
import { canonicalEmail, changePassword, findPerson, holdPerson } from '../persons.ts';
import { portalLink } from '../portal-addresses.ts';
import { endSessions } from '../sessions.ts';
import { reportChange } from './profile.ts';

/** How long a reset link works. */
const resetMinutes = 30;

/** Password reset by mail. */
export const passwordEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'password/forgot',
    needs: 'nothing',
    body: z.strictObject({ email: emailSchema }),
    answer: async ({ source, nowMs }, { email }, parts) => {
      const from = { kind: 'mail-from', address: source.address } as const;
      const counted = await countAttempt(parts.database, [from], nowMs);
      if ('retryAfterSeconds' in counted) throw tooManyAttempts(counted.retryAfterSeconds);
      // Same answer, same time: strangers must not learn who has an account.
      parts.inBackground(() => sendResetLink(parts, canonicalEmail(email), nowMs));
      return { status: 202 };
    },
  }),
  endpoint({
    method: 'POST',
    path: 'password/reset',
    needs: 'nothing',
    body: z.strictObject({ token: tokenSchema, password: givenPasswordSchema }),
    answer: async (request, { token, password }, parts) => {
      await resetPassword(request, parts, token, password);
      request.cookies.remove(sessionCookie);
      return { status: 204 };
    },
  }),
];

/** Only for people with a password: a reset must not bypass the identity provider. */
async function sendResetLink(parts: PeopleParts, email: string, nowMs: number): Promise<void> {
  const { database, mailer, addresses, serviceName } = parts;
  const person = await findPerson(database, { email });
  if (person?.passwordHash === undefined) return;
  if ('retryAfterSeconds' in (await countAttempt(database, [{ kind: 'mail-to', email }], nowMs))) return;
  await forgetValue(database, 'password-reset', person.userId);
  const times = { nowMs, expiresAtMs: nowMs + resetMinutes * 60_000 };
  const token = await keepOnce(database, 'password-reset', person.userId, times);
  const link = portalLink(addresses.baseUrl, 'reset-password', token);
  await mailer.send(resetLetter(person.email, person.name, link, serviceName, resetMinutes));
}

async function resetPassword(
  request: PeopleRequest,
  parts: PeopleParts,
  token: string,
  password: string,
): Promise<void> {
  const { database, serviceName } = parts;
  const { nowMs } = request;
  const person = await attempt(request, parts, undefined, async () => {
    const userId = await readOnce(database, 'password-reset', token, nowMs);
    const found = userId === undefined ? undefined : await findPerson(database, { userId });
    if (found === undefined) throw new ProblemError('link_invalid');
    return found;
  });
  const { userId } = person;
  // Before the link is used up: after a weak password, people can choose another one.
  const hash = await hashNewPassword(parts.passwords, password, { ...person, serviceName });
  await inTransaction(database, async (transaction) => {
    await holdPerson(transaction, userId);
    if ((await takeOnce(transaction, 'password-reset', token, nowMs)) !== userId)
      throw new ProblemError('link_invalid');
    await changePassword(transaction, userId, hash, nowMs);
    await endSessions(transaction, userId, 'all');
    await forgetValue(transaction, 'sign-in', userId);
  });
  await forgetFailures(database, person.email);
  reportChange(parts, person, 'A new password was set, and all sessions were ended', nowMs);
}
