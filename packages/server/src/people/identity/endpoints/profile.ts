import type { Passkey, Profile, RecoveryCodes, TotpSecret } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import type { Schema } from '../../../storage/schema.ts';
import { inTransaction } from '../../../storage/transaction.ts';
import { attempt } from '../attempts.ts';
import { codeSchema, givenPasswordSchema, personNameSchema } from '../body-schemas.ts';
import { passkeyCookie } from '../cookies.ts';
import { sessionCookie } from '../../sessions/session-cookie.ts';
import {
  type Call,
  emptyBody,
  type Endpoint,
  endpoint,
  ok,
  requireFreshProof,
  type SignedInCall,
} from '../endpoint.ts';
import { setKnownBrowser } from '../known-browsers.ts';
import { changeLetter } from '../mail/letters.ts';
import type { SignInChange } from '../mail/mail-texts.ts';
import { forgetFor, forgetValue, keepFor, readOnce, takeOnce } from '../one-time.ts';
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
  secondFactorsOf,
  totpStep,
} from '../second-factors.ts';
import { endsOf, isOpenAt, type SessionTimes } from '../session-limits.ts';
import { endSessions, factorProvedAt, methodsOf, noteProof, requireOpenSession } from '../sessions.ts';

/** Maximum number of passkeys per person. */
const passkeysMax = 20;

/** The endpoints with which people view and change their own details. */
export const profileEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: 'profile',
    needs: 'session',
    answer: async (call) => ok(await readProfile(call)),
  }),
  endpoint({
    method: 'PATCH',
    path: 'profile',
    needs: 'session',
    body: z.strictObject({ name: personNameSchema }),
    answer: async (call, { name }) => {
      await call.database
        .updateTable('persons')
        .set({ name, updated_at_ms: call.nowMs })
        .where('user_id', '=', call.session.userId)
        .execute();
      return ok({ ...(await readProfile(call)), name });
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/password',
    needs: 'session',
    body: z.strictObject({ currentPassword: givenPasswordSchema, newPassword: givenPasswordSchema }),
    answer: async (call, { currentPassword, newPassword }) => {
      await replacePassword(call, currentPassword, newPassword);
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/totp',
    needs: 'fresh-proof',
    body: emptyBody,
    answer: async ({ session, database, nowMs, serviceName, secret: key }) => {
      const { encrypted, secret, otpauthUrl } = newTotpSecret(await key(), serviceName, session.email);
      await keepFor(database, 'totp', session.userId, encrypted, nowMs);
      return ok({ secret, otpauthUrl } satisfies TotpSecret);
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/totp/confirm',
    needs: 'session',
    body: z.strictObject({ code: codeSchema }),
    answer: async (call, { code }) => ok(await confirmTotp(call, code)),
  }),
  endpoint({
    method: 'DELETE',
    path: 'profile/totp',
    needs: 'fresh-proof',
    answer: async (call) => {
      await removeTotp(call.database, call.session.userId);
      reportChange(call, call.session, 'totp_removed');
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/recovery-codes',
    needs: 'fresh-proof',
    body: emptyBody,
    answer: async (call) => {
      const { userId, hasSecondFactor } = call.session;
      // Recovery codes replace a second factor. Without one, they would only be another way in.
      if (!hasSecondFactor) throw new ProblemError('second_factor_required');
      const recoveryCodes = await inOpenSession(call, (transaction) => newRecoveryCodes(transaction, userId));
      reportChange(call, call.session, 'recovery_codes_replaced');
      return ok({ recoveryCodes } satisfies RecoveryCodes);
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/passkeys/options',
    needs: 'fresh-proof',
    body: emptyBody,
    answer: async (call) => {
      requirePasskeysPossible(call);
      if (call.session.passkeyCount >= passkeysMax) throw new ProblemError('not_found');
      return ok(await beginRegistration(call));
    },
  }),
  endpoint({
    method: 'POST',
    path: 'profile/passkeys',
    needs: 'session',
    body: z.strictObject({ name: personNameSchema, response: passkeyResponseSchema }),
    answer: async (call, passkey) => ok(await addPasskey(call, passkey)),
  }),
  endpoint({
    method: 'DELETE',
    path: 'profile/passkeys/{id}',
    needs: 'fresh-proof',
    answer: async (call) => {
      const { userId } = call.session;
      const { numDeletedRows } = await call.database
        .deleteFrom('person_passkeys')
        .where('user_id', '=', userId)
        .where('passkey_id', '=', call.id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new ProblemError('not_found');
      await removeCodesWithoutFactor(call.database, userId);
      reportChange(call, call.session, 'passkey_removed');
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: 'profile/sessions/{id}',
    needs: 'session',
    answer: async ({ id, session: { userId, sessionId }, database, cookies }) => {
      const ended = await endSessions(database, userId, { only: id });
      if (ended === 0) throw new ProblemError('not_found');
      if (id === sessionId) cookies.remove(sessionCookie);
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: 'profile/sessions',
    needs: 'session',
    answer: async ({ session: { userId, sessionId }, database }) => {
      await endSessions(database, userId, { allBut: sessionId });
      return { status: 204 };
    },
  }),
];

async function readProfile({ session, database, nowMs }: SignedInCall): Promise<Profile> {
  const { userId, name, email, hasPassword, hasTotp, recoveryCodesLeft, sessionId } = session;
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
    sessions: sessions
      .filter((row) => isOpenAt(endsOf(timesOf(row), session.limits), nowMs))
      .map((row) => ({
        sessionId: row.session_id,
        isCurrent: row.session_id === sessionId,
        createdAt: timeOf(row.created_at_ms),
        lastSeenAt: timeOf(row.last_seen_at_ms),
        ...(row.source_address && { sourceAddress: row.source_address }),
        ...(row.user_agent && { userAgent: row.user_agent }),
      })),
  };
}

function timesOf(row: {
  readonly created_at_ms: number;
  readonly last_seen_at_ms: number;
  readonly expires_at_ms: number;
}): SessionTimes {
  return {
    startedAtMs: row.created_at_ms,
    lastSeenAtMs: row.last_seen_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

async function replacePassword(
  call: SignedInCall,
  currentPassword: string,
  newPassword: string,
): Promise<void> {
  const { session, database, passwords, nowMs } = call;
  const { userId, sessionId, email } = session;
  if (session.hasSecondFactor) requireFreshProof(session, nowMs);
  const person = await attempt(call, { kind: 'proof', email }, async () => {
    const found = await findPerson(database, { userId });
    if (found?.passwordHash === undefined || !(await passwords.verify(currentPassword, found.passwordHash)))
      throw new ProblemError('credentials_invalid');
    return found;
  });
  const passwordHash = await hashNewPassword(call, newPassword, session);
  await inTransaction(database, async (transaction) => {
    await holdPerson(transaction, userId);
    // The owner may have set another password meanwhile, to lock out a person who knows this one.
    if (!(await hasSamePassword(transaction, person))) throw new ProblemError('credentials_invalid');
    await changePassword(transaction, userId, passwordHash, nowMs);
    await endSessions(transaction, userId, { allBut: sessionId });
    // End sign-ins that began with the old password, and reset links, which another person may have.
    await forgetValue(transaction, 'sign-in', userId);
    await forgetValue(transaction, 'password-reset', userId);
    await noteProof(transaction, sessionId, 'password', nowMs);
  });
  // The new password makes every browser unknown except this one.
  await setKnownBrowser(call, { userId, passwordHash });
  reportChange(call, session, 'password_changed');
}

async function confirmTotp(call: SignedInCall, code: string): Promise<RecoveryCodes> {
  const { session, database, nowMs } = call;
  const { userId, sessionId, email } = session;
  const encrypted = await readOnce(database, 'totp', userId, nowMs);
  if (encrypted === undefined) throw new ProblemError('link_invalid');
  const key = await call.secret();
  const step = await attempt(call, { kind: 'proof', email }, async () => {
    const found = totpStep(key, { encrypted, code, lastUsedStep: 0 }, nowMs);
    if (found === undefined) throw new ProblemError('second_factor_invalid');
    return found;
  });
  const recoveryCodes = await inOpenSession(call, async (transaction) => {
    await requireProofOfFactor(transaction, call);
    if ((await takeOnce(transaction, 'totp', userId, nowMs)) !== encrypted)
      throw new ProblemError('link_invalid');
    await keepTotp(transaction, userId, encrypted, step, nowMs);
    await noteProof(transaction, sessionId, 'factor', nowMs);
    return newRecoveryCodes(transaction, userId);
  });
  reportChange(call, session, 'totp_added');
  return { recoveryCodes };
}

async function addPasskey(
  call: SignedInCall,
  passkey: { readonly name: string; readonly response: PasskeyResponse },
): Promise<Passkey> {
  const { session, cookies, nowMs } = call;
  const token = cookies.read(passkeyCookie);
  cookies.remove(passkeyCookie);
  if (token === undefined) throw new ProblemError('second_factor_invalid');
  const passkeyId = await inOpenSession(call, async (transaction) => {
    await requireProofOfFactor(transaction, call);
    const added = await finishRegistration(transaction, call, token, passkey);
    if (added === undefined) return undefined;
    // If another person has begun to add an app, it must not be completed.
    await forgetFor(transaction, 'totp', session.userId);
    // The owner has just used the passkey.
    await noteProof(transaction, session.sessionId, 'factor', nowMs);
    return added;
  });
  if (passkeyId === undefined) throw new ProblemError('second_factor_invalid');
  reportChange(call, session, 'passkey_added');
  return { passkeyId, name: passkey.name, createdAt: timeOf(nowMs) };
}

/** Changes how the signed-in person signs in: one change at a time, and only if the session is still open. */
async function inOpenSession<Result>(
  { session, database }: SignedInCall,
  change: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  return inTransaction(database, async (transaction) => {
    await holdPerson(transaction, session.userId);
    await requireOpenSession(transaction, session.sessionId);
    return change(transaction);
  });
}

/**
 * Prevents adding a factor with the password alone once the person has one; the addition may have been started
 * before. Hold the person first.
 *
 * @throws ProblemError `step_up_required`
 */
async function requireProofOfFactor(
  transaction: Transaction<Schema>,
  { session, nowMs }: SignedInCall,
): Promise<void> {
  const factors = await secondFactorsOf(transaction, session.userId);
  if (!factors.hasTotp && factors.passkeyCount === 0) return;
  const provedAtMs = await factorProvedAt(transaction, session.sessionId);
  requireFreshProof({ provedAtMs, stepUpMethods: methodsOf({ ...session, ...factors }, true) }, nowMs);
}

/** Mails a person about a change to their sign-in, so that they notice if it wasn't them. */
export function reportChange(
  { serviceName, mailer, inBackground, nowMs, language }: Call,
  person: Pick<PersonRecord, 'email' | 'name' | 'language'>,
  change: SignInChange,
): void {
  const letter = changeLetter(person, { change, serviceName, atMs: nowMs, language });
  inBackground(() => mailer.send(letter));
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
