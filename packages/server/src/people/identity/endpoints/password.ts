import { formatAddress } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import { z } from 'zod';
import { inTransaction } from '../../../storage/transaction.ts';
import { attempt, tooManyAttempts } from '../attempts.ts';
import { emailSchema, givenPasswordSchema, tokenSchema } from '../body-schemas.ts';
import { sessionCookie } from '../../sessions/session-cookie.ts';
import { type Call, type Endpoint, endpoint } from '../endpoint.ts';
import { countAttempt, forgetPasswordFailures } from '../guess-limit.ts';
import { resetLetter } from '../mail/letters.ts';
import { forgetValue, keepOnce, oneTimeMinutes, readOnce, takeOnce } from '../one-time.ts';
import { hashNewPassword } from '../password-strength.ts';
import { canonicalEmail, changePassword, findPerson, holdPerson } from '../persons.ts';
import { portalLink } from '../portal-addresses.ts';
import { endSessions } from '../sessions.ts';
import { reportChange } from './profile.ts';

/** The endpoints for resetting a password by mail. */
export const passwordEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'password/forgot',
    needs: 'nothing',
    body: z.strictObject({ email: emailSchema }),
    answer: async (call, { email }) => {
      const from = { kind: 'mail-from', address: call.source.address } as const;
      const counted = await countAttempt(call.database, [from], call.nowMs);
      if ('retryAfterSeconds' in counted) throw tooManyAttempts(counted.retryAfterSeconds);
      // The same response after the same time, because strangers must not learn which people have an account.
      call.inBackground(() => sendResetLink(call, canonicalEmail(email)));
      return { status: 202 };
    },
  }),
  endpoint({
    method: 'POST',
    path: 'password/reset',
    needs: 'nothing',
    body: z.strictObject({ token: tokenSchema, password: givenPasswordSchema }),
    answer: async (call, { token, password }) => {
      await resetPassword(call, token, password);
      call.cookies.remove(sessionCookie);
      return { status: 204 };
    },
  }),
];

/** Sends a link, but only to people with a password: a reset must not bypass the identity provider. */
async function sendResetLink(call: Call, email: string): Promise<void> {
  const { database, mailer, addresses, serviceName, nowMs } = call;
  const person = await findPerson(database, { email });
  if (person?.passwordHash === undefined) return;
  if ('retryAfterSeconds' in (await countAttempt(database, [{ kind: 'mail-to', email }], nowMs))) return;
  await forgetValue(database, 'password-reset', person.userId);
  const token = await keepOnce(database, 'password-reset', person.userId, nowMs);
  const link = portalLink(addresses.baseUrl, 'reset-password', token);
  const { address } = call.source;
  await mailer.send(
    resetLetter(person, {
      link,
      serviceName,
      minutes: oneTimeMinutes['password-reset'],
      sourceAddress: address && formatAddress(address),
      language: call.language,
    }),
  );
}

async function resetPassword(call: Call, token: string, password: string): Promise<void> {
  const { database, nowMs } = call;
  const person = await attempt(call, undefined, async () => {
    const userId = await readOnce(database, 'password-reset', token, nowMs);
    const found = userId === undefined ? undefined : await findPerson(database, { userId });
    if (found === undefined) throw new ProblemError('link_invalid');
    return found;
  });
  const { userId } = person;
  // Before the link is used up, so that after a weak password, people can choose another one.
  const hash = await hashNewPassword(call, password, person);
  await inTransaction(database, async (transaction) => {
    await holdPerson(transaction, userId);
    if ((await takeOnce(transaction, 'password-reset', token, nowMs)) !== userId)
      throw new ProblemError('link_invalid');
    await changePassword(transaction, userId, hash, nowMs);
    await endSessions(transaction, userId, 'all');
    await forgetValue(transaction, 'sign-in', userId);
  });
  await forgetPasswordFailures(database, person.email);
  reportChange(call, person, 'password_reset');
}
