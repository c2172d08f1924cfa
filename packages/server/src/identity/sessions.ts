import type { StepUpMethod } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import type { Database } from '../storage/transaction.ts';
import { ProblemError } from '@countersign/gate';
import type { PersonSession } from './people.ts';
import { tokenHash } from './tokens.ts';

/**
 * A session in which its person does nothing ends after so long. Requests say nothing of that, because an open page makes
 * some by itself: the page says when somebody acts there.
 */
export const idleHoursMax = 12;
/** Every session ends after so long. An account may ask for less where it is concerned. */
export const sessionHoursMax = 168;
const hourMs = 3_600_000;

/** A session of a person, and what the person can prove itself with. */
export interface FoundSession extends PersonSession {
  readonly hasPassword: boolean;
  /** Whether the identity provider of the settings has vouched for the person. */
  readonly isVouchedFor: boolean;
  readonly hasTotp: boolean;
  readonly passkeyCount: number;
  readonly recoveryCodesLeft: number;
}

/**
 * The session of a token, unless it has ended. What it may do, others decide; that it was looked for is no use of it.
 *
 * @param hasIdentityProvider whether there is one, so that it can be asked for a proof
 * @throws StorageError
 */
export async function findSessionByToken(
  database: Database,
  token: string | undefined,
  nowMs: number,
  hasIdentityProvider: boolean,
): Promise<FoundSession | undefined> {
  if (token === undefined || !/^[A-Za-z0-9_-]{20,64}$/.test(token)) return undefined;
  const row = await selectSession(database)
    .where('session.token_hash', '=', tokenHash(token))
    .where('session.expires_at_ms', '>', nowMs)
    .where('session.last_seen_at_ms', '>', nowMs - idleHoursMax * hourMs)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const found = {
    hasPassword: (row.passwords ?? 0) > 0,
    isVouchedFor: hasIdentityProvider && (row.subjects ?? 0) > 0,
    hasTotp: (row.totps ?? 0) > 0,
    passkeyCount: row.passkeys ?? 0,
    recoveryCodesLeft: row.codes ?? 0,
  };
  const hasSecondFactor = found.hasTotp || found.passkeyCount > 0;
  const passwordProvedAtMs = row.password_proved_at_ms ?? 0;
  const factorProvedAtMs = row.factor_proved_at_ms ?? 0;
  return {
    ...found,
    sessionId: row.session_id,
    userId: row.user_id,
    name: row.name,
    email: row.email,
    startedAtMs: row.created_at_ms,
    // Who has a second factor proves itself with that: a password alone would be one factor.
    provedAtMs: hasSecondFactor ? factorProvedAtMs : Math.max(passwordProvedAtMs, factorProvedAtMs),
    hasSecondFactor,
    stepUpMethods: methodsOf(found, hasSecondFactor),
    expiresAtMs: row.expires_at_ms,
  };
}

/** Sessions with their persons, and how many of each these have to prove who they are. */
function selectSession(database: Database) {
  return database
    .selectFrom('person_sessions as session')
    .innerJoin('persons as person', 'person.user_id', 'session.user_id')
    .select((query) => [
      'session.session_id',
      'session.created_at_ms',
      'session.expires_at_ms',
      'session.password_proved_at_ms',
      'session.factor_proved_at_ms',
      'person.user_id',
      'person.name',
      'person.email',
      query
        .selectFrom('person_credentials')
        .whereRef('person_credentials.user_id', '=', 'session.user_id')
        .where('provider_id', '=', 'credential')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('passwords'),
      query
        .selectFrom('person_credentials')
        .whereRef('person_credentials.user_id', '=', 'session.user_id')
        .where('provider_id', '=', 'oidc')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('subjects'),
      query
        .selectFrom('person_second_factors')
        .whereRef('person_second_factors.user_id', '=', 'session.user_id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('totps'),
      query
        .selectFrom('person_passkeys')
        .whereRef('person_passkeys.user_id', '=', 'session.user_id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('passkeys'),
      query
        .selectFrom('person_recovery_codes')
        .whereRef('person_recovery_codes.user_id', '=', 'session.user_id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('codes'),
    ]);
}

/** With what a person that has these can prove itself; the best first. */
export function methodsOf(
  has: Pick<FoundSession, 'hasPassword' | 'isVouchedFor' | 'hasTotp' | 'passkeyCount' | 'recoveryCodesLeft'>,
  needsSecondFactor: boolean,
): StepUpMethod[] {
  const methods: StepUpMethod[] = [];
  if (has.passkeyCount > 0) methods.push('passkey');
  if (has.hasTotp) methods.push('totp');
  if (needsSecondFactor && has.recoveryCodesLeft > 0) methods.push('recovery-code');
  if (!needsSecondFactor && has.hasPassword) methods.push('password');
  if (!needsSecondFactor && has.isVouchedFor) methods.push('identity-provider');
  return methods;
}

/** Notes a fresh proof in a session: of a first factor, which `password` stands for, or of a second one or a passkey. */
export async function noteProof(
  database: Database,
  sessionId: string,
  proof: 'password' | 'factor',
  nowMs: number,
): Promise<void> {
  await database
    .updateTable('person_sessions')
    .set(proof === 'password' ? { password_proved_at_ms: nowMs } : { factor_proved_at_ms: nowMs })
    .where('session_id', '=', sessionId)
    .execute();
}

/** Notes that the person of a session has just done something. */
export async function noteActivity(database: Database, sessionId: string, nowMs: number): Promise<void> {
  await database
    .updateTable('person_sessions')
    .set({ last_seen_at_ms: nowMs })
    .where('session_id', '=', sessionId)
    .execute();
}

/** Ends sessions of a person: one, or all but one, or all. */
export async function endSessions(
  database: Database,
  userId: string,
  which: { readonly only: string } | { readonly allBut: string } | 'all',
): Promise<number> {
  let query = database.deleteFrom('person_sessions').where('user_id', '=', userId);
  if (which !== 'all' && 'only' in which) query = query.where('session_id', '=', which.only);
  if (which !== 'all' && 'allBut' in which) query = query.where('session_id', '!=', which.allBut);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/**
 * Refuses what is to be added to a sign-in when the session that asks for it has ended meanwhile: it may have been ended
 * because it is in the wrong hands. To be asked while the person is held.
 *
 * @throws ProblemError `session_required`
 */
export async function requireOpenSession(transaction: Transaction<Schema>, sessionId: string): Promise<void> {
  const row = await transaction
    .selectFrom('person_sessions')
    .select('session_id')
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  if (row === undefined) throw new ProblemError('session_required');
}

/** Takes away sessions that have ended by themselves. */
export async function removeEndedSessions(database: Database, nowMs: number): Promise<void> {
  await database
    .deleteFrom('person_sessions')
    .where((row) =>
      row.or([
        row('expires_at_ms', '<=', nowMs),
        row('last_seen_at_ms', '<=', nowMs - idleHoursMax * hourMs),
      ]),
    )
    .execute();
}
