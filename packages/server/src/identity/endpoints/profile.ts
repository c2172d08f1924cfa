import type { Passkey, Profile, RecoveryCodes, TotpSecret } from '@countersign/contract';
import { z } from 'zod';
import type { Database } from '../../storage/transaction.ts';
import { ProblemError } from '@countersign/gate';
import { passkeyCookie, readCookie, removeCookie, sessionCookie } from '../cookies.ts';
import {
  type Endpoint,
  endpoint,
  ok,
  type PeopleParts,
  type PeopleRequest,
  requireFreshProof,
  sessionOf,
} from '../endpoint.ts';
import { knownBrowserCookie } from '../known-browsers.ts';
import { changeLetter } from '../mail/letters.ts';
import { hashNewPassword } from '../new-password.ts';
import { forgetValue, keepFor, readOnce, takeOnce } from '../one-time.ts';
import { changePassword, findPerson, hasSamePassword, holdPerson } from '../persons.ts';
import { keepTotp, newRecoveryCodes, removeCodesWithoutFactor, removeTotp } from '../second-factors.ts';
import { endSessions, idleHoursMax, noteProof, requireOpenSession } from '../sessions.ts';
import { beginAttempt, isPasswordRight } from '../sign-in-attempts.ts';
import { codeSchema, givenPasswordSchema, personNameSchema } from '../texts.ts';
import { passkeyResponseSchema } from './passkey.ts';
import { inTransaction } from '../../storage/transaction.ts';

/** How long the secret of an authenticator app waits for its first code. */
const totpMinutes = 30;
/** A person has so many passkeys at most. */
const passkeysMax = 20;

/** What people see and change of themselves. */
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
    body: z.strictObject({}),
    answer: async (request, _input, { database, identity }) => {
      const { userId, email } = sessionOf(request);
      const { nowMs } = request;
      const { encrypted, secret, otpauthUrl } = await (await identity()).newTotpSecret(email);
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
      await removeTotp(parts.database, sessionOf(request).userId);
      tellOfChange(request, parts, 'Your authenticator app was removed');
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/recovery-codes',
    needs: 'fresh-proof',
    body: z.strictObject({}),
    answer: async (request, _input, parts) => {
      const { database } = parts;
      const { userId, sessionId, hasSecondFactor } = sessionOf(request);
      // They stand in for a second factor: without one they would only be another way in.
      if (!hasSecondFactor) throw new ProblemError('second_factor_required');
      const recoveryCodes = await inTransaction(database, async (transaction) => {
        // Of two who ask at once, the codes of one end.
        await holdPerson(transaction, userId);
        await requireOpenSession(transaction, sessionId);
        return newRecoveryCodes(transaction, userId);
      });
      tellOfChange(request, parts, 'New recovery codes were made, and those before them ended');
      return ok({ recoveryCodes } satisfies RecoveryCodes);
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/passkeys/options',
    needs: 'fresh-proof',
    body: z.strictObject({}),
    answer: async (request, _input, { identity, addresses }) => {
      const { userId, email, passkeyCount } = sessionOf(request);
      if (!addresses.arePasskeysPossible(request.baseUrl) || passkeyCount >= passkeysMax)
        throw new ProblemError('not_found');
      const { options, setCookie } = await (await identity()).beginPasskeyRegistration(userId, email);
      request.setCookies.push(...setCookie);
      return ok(options);
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
      const { userId } = sessionOf(request);
      const { numDeletedRows } = await parts.database
        .deleteFrom('person_passkeys')
        .where('user_id', '=', userId)
        .where('passkey_id', '=', request.id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new ProblemError('not_found');
      await removeCodesWithoutFactor(parts.database, userId);
      tellOfChange(request, parts, 'A passkey was removed');
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
      if (request.id === sessionId) request.setCookies.push(removeCookie(sessionCookie));
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
  const { database, serviceName } = parts;
  const { userId, sessionId, email, name, hasSecondFactor } = sessionOf(request);
  const { nowMs } = request;
  if (hasSecondFactor) requireFreshProof(sessionOf(request), nowMs);
  const attempt = await beginAttempt(request, parts, { own: email });
  const person = await findPerson(database, { userId });
  if (
    person?.passwordHash === undefined ||
    !(await isPasswordRight(attempt, currentPassword, person.passwordHash))
  )
    throw new ProblemError('credentials_invalid');
  await attempt.takeBack();
  const hash = await hashNewPassword(newPassword, { email, name, serviceName });
  await inTransaction(database, async (transaction) => {
    await holdPerson(transaction, userId);
    // Somebody else may have set a new one meanwhile, to get rid of whoever knows this one.
    if (!(await hasSamePassword(transaction, person))) throw new ProblemError('credentials_invalid');
    await changePassword(transaction, userId, hash, nowMs);
    await endSessions(transaction, userId, { allBut: sessionId });
    // What was begun with the old one ends, and so do links that may be in the wrong hands.
    await forgetValue(transaction, 'sign-in', userId);
    await forgetValue(transaction, 'password-reset', userId);
    await noteProof(transaction, sessionId, 'password', nowMs);
  });
  // The new password makes all browsers strange but this one.
  const known = knownBrowserCookie(await parts.browserKey(), { userId, passwordHash: hash }, nowMs);
  if (known !== undefined) request.setCookies.push(known);
  tellOfChange(request, parts, 'Your password was changed');
}

async function confirmTotp(request: PeopleRequest, parts: PeopleParts, code: string): Promise<RecoveryCodes> {
  const { database } = parts;
  const { userId, sessionId, email } = sessionOf(request);
  const { nowMs } = request;
  const encrypted = await readOnce(database, 'totp', userId, nowMs);
  if (encrypted === undefined) throw new ProblemError('link_invalid');
  const attempt = await beginAttempt(request, parts, { own: email });
  const step = await (await parts.identity()).totpStep(encrypted, code, 0, nowMs);
  if (step === undefined) throw new ProblemError('second_factor_invalid');
  await attempt.takeBack();
  const recoveryCodes = await inTransaction(database, async (transaction) => {
    await holdPerson(transaction, userId);
    await requireOpenSession(transaction, sessionId);
    if ((await takeOnce(transaction, 'totp', userId, nowMs)) !== encrypted)
      throw new ProblemError('link_invalid');
    await keepTotp(transaction, userId, encrypted, step, nowMs);
    await noteProof(transaction, sessionId, 'factor', nowMs);
    return newRecoveryCodes(transaction, userId);
  });
  tellOfChange(request, parts, 'An authenticator app was added');
  return { recoveryCodes };
}

async function addPasskey(
  request: PeopleRequest,
  parts: PeopleParts,
  name: string,
  response: Record<string, unknown>,
): Promise<Passkey> {
  const { userId, sessionId } = sessionOf(request);
  const { database } = parts;
  const challenge = readCookie(request.request.headers.cookie, passkeyCookie);
  request.setCookies.push(removeCookie(passkeyCookie));
  if (challenge === undefined) throw new ProblemError('second_factor_invalid');
  const identity = await parts.identity();
  const added = await inTransaction(database, async (transaction) => {
    await holdPerson(transaction, userId);
    await requireOpenSession(transaction, sessionId);
    const passkey = await identity.finishPasskeyRegistration(transaction, userId, name, response, challenge);
    // Its owner has just used it.
    if (passkey !== undefined) await noteProof(transaction, sessionId, 'factor', request.nowMs);
    return passkey;
  });
  if (added === undefined) throw new ProblemError('second_factor_invalid');
  tellOfChange(request, parts, 'A passkey was added');
  return { passkeyId: added.passkeyId, name, createdAt: timeOf(request.nowMs) };
}

/** So that somebody whose session is in the wrong hands hears of it. */
function tellOfChange(request: PeopleRequest, parts: PeopleParts, what: string): void {
  const { email, name } = sessionOf(request);
  const letter = changeLetter(email, name, what, parts.serviceName, request.nowMs);
  parts.inBackground(() => parts.mailer.send(letter));
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
