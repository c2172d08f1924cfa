import type { Transaction } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import { inTransaction } from '../storage/transaction.ts';
import { ProblemError } from '@countersign/gate';
import { knownBrowserOf } from './attempts.ts';
import { sessionCookie, signInCookie } from './cookies.ts';
import { nextStep, type PeopleAnswer, type PeopleParts, type PeopleRequest } from './endpoint.ts';
import { forgetFailures } from './guess-limit.ts';
import { setKnownBrowser } from './known-browsers.ts';
import { keepOnce } from './one-time.ts';
import { hasSamePassword, holdPerson, type PersonRecord } from './persons.ts';
import { hasSecondFactor } from './second-factors.ts';
import { addSession, endSessions, removeEndedSessions, sessionHoursMax } from './sessions.ts';

/** Somebody signing in, with the password hash that their proof was checked against. */
export type SigningPerson = Pick<PersonRecord, 'userId' | 'email' | 'passwordHash'>;

/** The first factor: a password just now, or when the identity provider authenticated the person, if it said so. */
export type FirstProof = 'password' | { readonly vouchedAtMs: number | undefined };

/** How long a sign-in waits for its second factor. */
const signInMinutes = 10;

/**
 * Continues after the first factor. With a second factor set up, the browser gets a cookie that is good for nothing but
 * giving it; otherwise a session begins.
 */
export async function afterFirstFactor(
  request: PeopleRequest,
  parts: PeopleParts,
  person: SigningPerson,
  proof: FirstProof = 'password',
): Promise<PeopleAnswer> {
  const { userId } = person;
  if (!(await hasSecondFactor(parts.database, userId))) {
    await beginSession(request, parts, person, proof);
    return nextStep('portal');
  }
  const { nowMs, cookies } = request;
  const times = { nowMs, expiresAtMs: nowMs + signInMinutes * 60_000 };
  const token = await inTransaction(parts.database, async (transaction) => {
    await replaceSession(transaction, request, person);
    return keepOnce(transaction, 'sign-in', userId, times);
  });
  cookies.set(signInCookie, token, signInMinutes * 60);
  cookies.remove(sessionCookie);
  return nextStep('second-factor');
}

/**
 * Begins a session with a new token and ends the one the browser had, so that nothing known before the sign-in is of use
 * afterwards (session fixation).
 *
 * @throws ProblemError `credentials_invalid` when the password has changed since it was checked
 */
export async function beginSession(
  request: PeopleRequest,
  parts: PeopleParts,
  person: SigningPerson,
  proof: FirstProof | 'factor',
): Promise<void> {
  const { nowMs, source, cookies } = request;
  await removeEndedSessions(parts.database, nowMs);
  const vouchedAtMs = typeof proof === 'object' ? proof.vouchedAtMs : undefined;
  const session = {
    userId: person.userId,
    nowMs,
    passwordProvedAtMs: proof === 'password' ? nowMs : vouchedAtMs,
    factorProvedAtMs: proof === 'factor' ? nowMs : undefined,
    sourceAddress: source.text,
    userAgent: request.userAgent.slice(0, userAgentCharactersMax),
  };
  const token = await inTransaction(parts.database, async (transaction) => {
    await replaceSession(transaction, request, person);
    return addSession(transaction, session);
  });
  await forgetFailures(parts.database, person.email, await knownBrowserOf(request, parts, person));
  setKnownBrowser(await parts.secret(), person, cookies, nowMs);
  cookies.set(sessionCookie, token, sessionHoursMax * 3600);
  cookies.remove(signInCookie);
}

/** Ends the browser's present session, provided that the password hasn't changed: the change has ended everything. */
async function replaceSession(
  transaction: Transaction<Schema>,
  { session }: PeopleRequest,
  person: SigningPerson,
): Promise<void> {
  await holdPerson(transaction, person.userId);
  if (!(await hasSamePassword(transaction, person))) throw new ProblemError('credentials_invalid');
  if (session !== undefined) await endSessions(transaction, session.userId, { only: session.sessionId });
}

const userAgentCharactersMax = 300;
