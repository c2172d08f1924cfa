import type { SignInStep } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { inTransaction } from '../../storage/transaction.ts';
import { signInCookie } from './cookies.ts';
import { sessionCookie } from '../sessions/session-cookie.ts';
import type { Call } from './endpoint.ts';
import { forgetFailures } from './guess-limit.ts';
import { readKnownBrowser, setKnownBrowser } from './known-browsers.ts';
import { keepOnce, oneTimeMinutes } from './one-time.ts';
import { hasSamePassword, holdPerson, type PersonRecord } from './persons.ts';
import { hasSecondFactor } from './second-factors.ts';
import { longestSession } from './session-limits.ts';
import { addSession, endSessions, removeSessionsPastAllLimits } from './sessions.ts';

/** A person who is signing in, with the password hash that their proof was checked against. */
export type SigningPerson = Pick<PersonRecord, 'userId' | 'email' | 'passwordHash'>;

/**
 * The first factor: a password just now, or the time at which the identity provider authenticated the person,
 * if it says so.
 */
export type FirstProof = 'password' | { readonly vouchedAtMs: number | undefined };

/**
 * Continues after the first factor. If the person has a second factor, the browser gets a cookie that is only
 * valid for giving it; otherwise a session begins.
 */
export async function afterFirstFactor(
  call: Call,
  person: SigningPerson,
  proof: FirstProof = 'password',
): Promise<SignInStep['next']> {
  const { database, cookies } = call;
  if (!(await hasSecondFactor(database, person.userId))) {
    await beginSession(call, person, proof);
    return 'portal';
  }
  const token = await inTransaction(database, async (transaction) => {
    await replaceSession(transaction, call, person);
    return keepOnce(transaction, 'sign-in', person.userId, call.nowMs);
  });
  cookies.set(signInCookie, token, oneTimeMinutes['sign-in'] * 60);
  cookies.remove(sessionCookie);
  return 'second-factor';
}

/**
 * Begins a session with a new token and ends the browser's previous one, so that nothing known before the
 * sign-in is valid afterwards (session fixation).
 *
 * @throws ProblemError `credentials_invalid` if the password has changed since it was checked
 */
export async function beginSession(
  call: Call,
  person: SigningPerson,
  proof: FirstProof | 'factor',
): Promise<void> {
  const { database, nowMs, cookies } = call;
  await removeSessionsPastAllLimits(database, nowMs);
  const vouchedAtMs = typeof proof === 'object' ? proof.vouchedAtMs : undefined;
  const session = {
    userId: person.userId,
    nowMs,
    passwordProvedAtMs: proof === 'password' ? nowMs : vouchedAtMs,
    factorProvedAtMs: proof === 'factor' ? nowMs : undefined,
    sourceAddress: call.source.text,
    userAgent: call.userAgent.slice(0, userAgentCharactersMax),
  };
  const token = await inTransaction(database, async (transaction) => {
    await replaceSession(transaction, call, person);
    return addSession(transaction, session);
  });
  await forgetFailures(database, person.email, await readKnownBrowser(call, person));
  await setKnownBrowser(call, person);
  cookies.set(sessionCookie, token, longestSession.hours * 3600);
  cookies.remove(signInCookie);
}

/**
 * Ends the browser's current session, provided that the password hasn't changed: a change has already ended all
 * sessions.
 */
async function replaceSession(
  transaction: Transaction<Schema>,
  { session }: Call,
  person: SigningPerson,
): Promise<void> {
  await holdPerson(transaction, person.userId);
  if (!(await hasSamePassword(transaction, person))) throw new ProblemError('credentials_invalid');
  if (session !== undefined) await endSessions(transaction, session.userId, { only: session.sessionId });
}

const userAgentCharactersMax = 300;
