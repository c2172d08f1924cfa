import { z } from 'zod';
import { ProblemError } from '@countersign/gate';
import { inTransaction } from '../../storage/transaction.ts';
import { removeCookie, sessionCookie } from '../cookies.ts';
import { type Endpoint, endpoint, type PeopleParts, type PeopleRequest } from '../endpoint.ts';
import { countAttempt, forgetFailures } from '../guess-limit.ts';
import { changeLetter, resetLetter } from '../mail/letters.ts';
import { hashNewPassword } from '../new-password.ts';
import { forgetValue, keepOnce, readOnce, takeOnce } from '../one-time.ts';
import { canonicalEmail, changePassword, findPerson, holdPerson } from '../persons.ts';
import { portalLink } from '../portal-addresses.ts';
import { endSessions } from '../sessions.ts';
import { beginAttempt, tooManyAttempts } from '../sign-in-attempts.ts';
import { emailSchema, givenPasswordSchema, tokenSchema } from '../texts.ts';

/** How long the link for a new password works. */
const resetMinutes = 30;

/** A new password by mail. */
export const passwordEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'password/forgot',
    needs: 'nothing',
    body: z.strictObject({ email: emailSchema }),
    answer: async (request, { email }, parts) => {
      const { source, nowMs } = request;
      const from = await countAttempt(
        parts.database,
        [{ kind: 'mail-from', address: source.address }],
        nowMs,
      );
      if ('retryAfterSeconds' in from) throw tooManyAttempts(from.retryAfterSeconds);
      // The answer and its time are the same for everybody: who is here is not for strangers to know.
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
      request.setCookies.push(removeCookie(sessionCookie));
      return { status: 204 };
    },
  }),
];

/** Only to people with a password: who signs in through the identity provider is not to get a way around it. */
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
  const { database, serviceName, mailer } = parts;
  const { nowMs } = request;
  const attempt = await beginAttempt(request, parts, undefined);
  const userId = await readOnce(database, 'password-reset', token, nowMs);
  const person = userId === undefined ? undefined : await findPerson(database, { userId });
  if (person === undefined) throw new ProblemError('link_invalid');
  await attempt.takeBack();
  // Before the link is used up: who chooses a weak password first can choose another one.
  const hash = await hashNewPassword(password, { ...person, serviceName });
  await inTransaction(database, async (transaction) => {
    await holdPerson(transaction, person.userId);
    if ((await takeOnce(transaction, 'password-reset', token, nowMs)) !== person.userId)
      throw new ProblemError('link_invalid');
    await changePassword(transaction, person.userId, hash, nowMs);
    await endSessions(transaction, person.userId, 'all');
    await forgetValue(transaction, 'sign-in', person.userId);
  });
  await forgetFailures(database, person.email);
  const letter = changeLetter(
    person.email,
    person.name,
    'A new password was set, and all sessions were ended',
    serviceName,
    nowMs,
  );
  parts.inBackground(() => mailer.send(letter));
}
