import type { Passkey, Profile, RecoveryCodes, TotpSecret } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import type { Schema } from '../../storage/schema.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { ProblemError } from '@countersign/gate';
import { attempt } from '../attempts.ts';
import { codeSchema, givenPasswordSchema, personNameSchema } from '../body-schemas.ts';
import { passkeyCookie, sessionCookie } from '../cookies.ts';
import {
  emptyBody,
  type Endpoint,
  endpoint,
  ok,
  type PeopleParts,
  type PeopleRequest,
  requireFreshProof,
  sessionOf,
} from '../endpoint.ts';
import { setKnownBrowser } from '../known-browsers.ts';
import { changeLetter } from '../mail/letters.ts';
import { forgetValue, keepFor, readOnce, takeOnce } from '../one-time.ts';
import {
  beginRegistration,
  finishRegistration,
  passkeyResponseSchema,
  type PasskeyResponse,
  requirePasskeysPossible,
} from '../passkeys.ts';
import { hashNewPassword } from '../password-strength.ts';
import { changePassword, findPerson, hasSamePassword, holdPerson, type PersonRecord } from '../persons.ts';
import {
  keepTotp,
  newRecoveryCodes,
  newTotpSecret,
  removeCodesWithoutFactor,
  removeTotp,
  totpStep,
} from '../second-factors.ts';
import { endSessions, idleHoursMax, noteProof, requireOpenSession } from '../sessions.ts';

/** How long a new authenticator app's secret waits for its first code. */
const totpMinutes = 30;
/** The most passkeys a person can have. */
const passkeysMax = 20;

/** What people see and change about themselves. */
export const profileEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: 'profile',
    needs: 'session',
    answer: async (request, _input, { database }) => ok(await readProfile(request, database)),
  }),
  endpoint({
    method: 'PATCH',
    path: 'profile',
    needs: 'session',
    body: z.strictObject({ name: personNameSchema }),
    answer: async (request, { name }, { database }) => {
      const { userId } = sessionOf(request);
      await database
        .updateTable('persons')
        .set({ name, updated_at_ms: request.nowMs })
        .where('user_id', '=', userId)
        .execute();
      return ok({ ...(await readProfile(request, database)), name });
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/password',
    needs: 'session',
    body: z.strictObject({ currentPassword: givenPasswordSchema, newPassword: givenPasswordSchema }),
    answer: async (request, { currentPassword, newPassword }, parts) => {
      await replacePassword(request, parts, currentPassword, newPassword);
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/totp',
    needs: 'fresh-proof',
    body: emptyBody,
    answer: async (request, _input, { database, secret: key, serviceName }) => {
      const { userId, email } = sessionOf(request);
      const { nowMs } = request;
      const { encrypted, secret, otpauthUrl } = newTotpSecret(await key(), { serviceName, email });
      const times = { nowMs, expiresAtMs: nowMs + totpMinutes * 60_000 };
      await keepFor(database, 'totp', userId, encrypted, times);
      return ok({ secret, otpauthUrl } satisfies TotpSecret);
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/totp/confirm',
    needs: 'session',
    body: z.strictObject({ code: codeSchema }),
    answer: async (request, { code }, parts) => ok(await confirmTotp(request, parts, code)),
  }),
  endpoint({
    method: 'DELETE',
    path: 'profile/totp',
    needs: 'fresh-proof',
    answer: async (request, _input, parts) => {
      const session = sessionOf(request);
      await removeTotp(parts.database, session.userId);
      reportChange(parts, session, 'Your authenticator app was removed', request.nowMs);
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/recovery-codes',
    needs: 'fresh-proof',
    body: emptyBody,
    answer: async (request, _input, parts) => {
      const session = sessionOf(request);
      // They replace a second factor. Without one, they would only be another way in.
      if (!session.hasSecondFactor) throw new ProblemError('second_factor_required');
      const recoveryCodes = await inOpenSession(request, parts, (transaction) =>
        newRecoveryCodes(transaction, session.userId),
      );
      const what = 'New recovery codes were made, and those before them ended';
      reportChange(parts, session, what, request.nowMs);
      return ok({ recoveryCodes } satisfies RecoveryCodes);
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/passkeys/options',
    needs: 'fresh-proof',
    body: emptyBody,
    answer: async (request, _input, parts) => {
      requirePasskeysPossible(request, parts);
      const session = sessionOf(request);
      if (session.passkeyCount >= passkeysMax) throw new ProblemError('not_found');
      return ok(await beginRegistration(request, parts, session));
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/passkeys',
    needs: 'session',
    body: z.strictObject({ name: personNameSchema, response: passkeyResponseSchema }),
    answer: async (request, { name, response }, parts) =>
      ok(await addPasskey(request, parts, name, response)),
  }),
  endpoint({
    method: 'DELETE',
    path: 'profile/passkeys/{id}',
    needs: 'fresh-proof',
    answer: async (request, _input, parts) => {
      const session = sessionOf(request);
      const { numDeletedRows } = await parts.database
        .deleteFrom('person_passkeys')
        .where('user_id', '=', session.userId)
        .where('passkey_id', '=', request.id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new ProblemError('not_found');
      await removeCodesWithoutFactor(parts.database, session.userId);
      reportChange(parts, session, 'A passkey was removed', request.nowMs);
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: 'profile/sessions/{id}',
    needs: 'session',
    answer: async (request, _input, { database }) => {
      const { userId, sessionId } = sessionOf(request);
      const ended = await endSessions(database, userId, { only: request.id });
      if (ended === 0) throw new ProblemError('not_found');
      if (request.id === sessionId) request.cookies.remove(sessionCookie);
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: 'profile/sessions',
    needs: 'session',
    answer: async (request, _input, { database }) => {
      const { userId, sessionId } = sessionOf(request);
      await endSessions(database, userId, { allBut: sessionId });
      return { status: 204 };
    },
  }),
];

async function readProfile(request: PeopleRequest, database: Database): Promise<Profile> {
  const { userId, name, email, hasPassword, hasTotp, recoveryCodesLeft, sessionId } = sessionOf(request);
  const passkeys = await database
    .selectFrom('person_passkeys')
    .select(['passkey_id', 'name', 'created_at_ms', 'last_used_at_ms'])
    .where('user_id', '=', userId)
    .orderBy('passkey_id')
    .execute();
  const sessions = await database
    .selectFrom('person_sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at_ms', '>', request.nowMs)
    .where('last_seen_at_ms', '>', request.nowMs - idleHoursMax * 3_600_000)
    .orderBy('last_seen_at_ms', 'desc')
    .limit(100)
    .execute();
  return {
    userId,
    name,
    email,
    hasPassword,
    hasTotp,
    recoveryCodesLeft,
    passkeys: passkeys.map((row) => ({
      passkeyId: row.passkey_id,
      name: row.name,
      createdAt: timeOf(row.created_at_ms),
      ...(row.last_used_at_ms !== null && { lastUsedAt: timeOf(row.last_used_at_ms) }),
    })),
    sessions: sessions.map((row) => ({
      sessionId: row.session_id,
      isCurrent: row.session_id === sessionId,
      createdAt: timeOf(row.created_at_ms),
      lastSeenAt: timeOf(row.last_seen_at_ms),
      ...(row.source_address && { sourceAddress: row.source_address }),
      ...(row.user_agent && { userAgent: row.user_agent }),
    })),
  };
}

async function replacePassword(
  request: PeopleRequest,
  parts: PeopleParts,
  currentPassword: string,
  newPassword: string,
): Promise<void> {
  const { database, passwords, serviceName } = parts;
  const session = sessionOf(request);
  const { userId, sessionId, email, name } = session;
  const { nowMs } = request;
  if (session.hasSecondFactor) requireFreshProof(session, nowMs);
  const person = await attempt(request, parts, { kind: 'proof', email }, async () => {
    const found = await findPerson(database, { userId });
    if (found?.passwordHash === undefined || !(await passwords.verify(currentPassword, found.passwordHash)))
      throw new ProblemError('credentials_invalid');
    return found;
  });
  const passwordHash = await hashNewPassword(passwords, newPassword, { email, name, serviceName });
  await inTransaction(database, async (transaction) => {
    await holdPerson(transaction, userId);
    // The owner may have set another one meanwhile, to lock out whoever knows this one.
    if (!(await hasSamePassword(transaction, person))) throw new ProblemError('credentials_invalid');
    await changePassword(transaction, userId, passwordHash, nowMs);
    await endSessions(transaction, userId, { allBut: sessionId });
    // Sign-ins that began with the old password end, and so do reset links, which somebody else may have.
    await forgetValue(transaction, 'sign-in', userId);
    await forgetValue(transaction, 'password-reset', userId);
    await noteProof(transaction, sessionId, 'password', nowMs);
  });
  // The new password makes every browser unknown except this one.
  setKnownBrowser(await parts.secret(), { userId, passwordHash }, request.cookies, nowMs);
  reportChange(parts, session, 'Your password was changed', nowMs);
}

async function confirmTotp(request: PeopleRequest, parts: PeopleParts, code: string): Promise<RecoveryCodes> {
  const session = sessionOf(request);
  const { userId, sessionId, email } = session;
  const { nowMs } = request;
  const encrypted = await readOnce(parts.database, 'totp', userId, nowMs);
  if (encrypted === undefined) throw new ProblemError('link_invalid');
  const key = await parts.secret();
  const step = await attempt(request, parts, { kind: 'proof', email }, async () => {
    const found = totpStep(key, { encrypted, code, lastUsedStep: 0 }, nowMs);
    if (found === undefined) throw new ProblemError('second_factor_invalid');
    return found;
  });
  const recoveryCodes = await inOpenSession(request, parts, async (transaction) => {
    if ((await takeOnce(transaction, 'totp', userId, nowMs)) !== encrypted)
      throw new ProblemError('link_invalid');
    await keepTotp(transaction, userId, encrypted, step, nowMs);
    await noteProof(transaction, sessionId, 'factor', nowMs);
    return newRecoveryCodes(transaction, userId);
  });
  reportChange(parts, session, 'An authenticator app was added', nowMs);
  return { recoveryCodes };
}

async function addPasskey(
  request: PeopleRequest,
  parts: PeopleParts,
  name: string,
  response: PasskeyResponse,
): Promise<Passkey> {
  const session = sessionOf(request);
  const { userId, sessionId } = session;
  const { cookies, nowMs } = request;
  const token = cookies.read(passkeyCookie);
  cookies.remove(passkeyCookie);
  if (token === undefined) throw new ProblemError('second_factor_invalid');
  const passkeyId = await inOpenSession(request, parts, async (transaction) => {
    const passkey = { userId, name, nowMs, token };
    const added = await finishRegistration(transaction, parts, passkey, response);
    // Its owner has just used it.
    if (added !== undefined) await noteProof(transaction, sessionId, 'factor', nowMs);
    return added;
  });
  if (passkeyId === undefined) throw new ProblemError('second_factor_invalid');
  reportChange(parts, session, 'A passkey was added', nowMs);
  return { passkeyId, name, createdAt: timeOf(nowMs) };
}

/** Changes how the signed-in person signs in: one change at a time, and only if the session is still open. */
async function inOpenSession<Result>(
  request: PeopleRequest,
  { database }: PeopleParts,
  change: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  const { userId, sessionId } = sessionOf(request);
  return inTransaction(database, async (transaction) => {
    await holdPerson(transaction, userId);
    await requireOpenSession(transaction, sessionId);
    return change(transaction);
  });
}

/** Mails a person about a change to their sign-in, so that they notice if it wasn't them. */
export function reportChange(
  { serviceName, mailer, inBackground }: PeopleParts,
  { email, name }: Pick<PersonRecord, 'email' | 'name'>,
  what: string,
  nowMs: number,
): void {
  const letter = changeLetter(email, name, what, serviceName, nowMs);
  inBackground(() => mailer.send(letter));
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
