import type { Transaction } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { ProblemError } from '@countersign/gate';
import { type PeopleAnswer, type PeopleParts, type PeopleRequest, nextStep } from './endpoint.ts';
import { removeCookie, sessionCookie, setCookie, signInCookie } from './cookies.ts';
import { forgetFailures } from './guess-limit.ts';
import type { NewSession } from './identity.ts';
import { knownBrowserCookie } from './known-browsers.ts';
import { keepOnce } from './one-time.ts';
import { hasSamePassword, holdPerson, type PersonRecord } from './persons.ts';
import { secondFactorsOf } from './second-factors.ts';
import { knownBrowserOf } from './sign-in-attempts.ts';
import { endSessions, removeEndedSessions, sessionHoursMax } from './sessions.ts';

/** Who signs in, with the password that it had when its proof was looked at. */
export type SigningPerson = Pick<PersonRecord, 'userId' | 'email' | 'passwordHash'>;

/** The first factor: a password that was given now, or when the identity provider has asked the person; undefined for unknown. */
export type FirstProof = 'password' | { readonly vouchedAtMs: number | undefined };

/** How long a sign-in waits for its second factor. */
const signInMinutes = 10;

/**
 * Goes on with a person whose first factor is proved: where there is a second one, the browser gets a cookie with which it
 * can give that and do nothing else; otherwise a session begins.
 */
export async function afterFirstFactor(
  request: PeopleRequest,
  parts: PeopleParts,
  person: SigningPerson,
  proof: FirstProof = 'password',
): Promise<PeopleAnswer> {
  const { userId } = person;
  const { hasTotp, passkeyCount } = await secondFactorsOf(parts.database, userId);
  if (!hasTotp && passkeyCount === 0) {
    await beginSession(request, parts, person, proof);
    return nextStep('portal');
  }
  const { nowMs, setCookies } = request;
  const times = { nowMs, expiresAtMs: nowMs + signInMinutes * 60_000 };
  const token = await inTransaction(parts.database, async (transaction) => {
    await requireSamePassword(transaction, person);
    await endPresentSession(request, transaction);
    return keepOnce(transaction, 'sign-in', userId, times);
  });
  setCookies.push(setCookie(signInCookie, token, signInMinutes * 60), removeCookie(sessionCookie));
  return nextStep('second-factor');
}

/**
 * Begins a session with a new token, and ends the one that the browser had: what somebody knew before the sign-in is worth
 * nothing after it (session fixation).
 *
 * @throws ProblemError `credentials_invalid` when the person has got another password meanwhile
 */
export async function beginSession(
  request: PeopleRequest,
  parts: PeopleParts,
  person: SigningPerson,
  proof: FirstProof | 'factor',
): Promise<void> {
  const { nowMs, source, setCookies } = request;
  const identity = await parts.identity();
  await removeEndedSessions(parts.database, nowMs);
  const session: NewSession = {
    userId: person.userId,
    nowMs,
    expiresAtMs: nowMs + sessionHoursMax * 3_600_000,
    passwordProvedAtMs:
      typeof proof === 'object' ? proof.vouchedAtMs : proof === 'password' ? nowMs : undefined,
    factorProvedAtMs: proof === 'factor' ? nowMs : undefined,
    sourceAddress: source.text,
    userAgent: (request.request.headers['user-agent'] ?? '').slice(0, userAgentCharactersMax),
  };
  const { token } = await inTransaction(parts.database, async (transaction) => {
    await requireSamePassword(transaction, person);
    await endPresentSession(request, transaction);
    return identity.addSession(transaction, session);
  });
  await forgetFailures(parts.database, person.email, await knownBrowserOf(request, parts, person));
  const known = knownBrowserCookie(await parts.browserKey(), person, nowMs);
  if (known !== undefined) setCookies.push(known);
  setCookies.push(setCookie(sessionCookie, token, sessionHoursMax * 3600), removeCookie(signInCookie));
}

/** A new password ends every session: one that begins with the old one at the same time would outlast that. */
async function requireSamePassword(transaction: Transaction<Schema>, person: SigningPerson): Promise<void> {
  await holdPerson(transaction, person.userId);
  if (!(await hasSamePassword(transaction, person))) throw new ProblemError('credentials_invalid');
}

async function endPresentSession({ session }: PeopleRequest, database: Database): Promise<void> {
  if (session !== undefined) await endSessions(database, session.userId, { only: session.sessionId });
}

const userAgentCharactersMax = 300;
