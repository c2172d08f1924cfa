import { newId, type StepUpMethod } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import type { Expression, ExpressionBuilder, Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import type { PersonSession } from './people.ts';
import type { SecondFactors } from './second-factors.ts';
import { endsOf, isOpenAt, limitsOf, longestSession, type SessionLimits } from './session-limits.ts';
import { newToken, tokenHash } from './tokens.ts';

/** A session, with its person's means of proof. */
export interface FoundSession extends PersonSession, SecondFactors {
  readonly hasPassword: boolean;
  /** The language in which the person last used the portal; undefined before that. */
  readonly language: string | undefined;
  /** True if the configured identity provider knows the person. */
  readonly isVouchedFor: boolean;
  /** The limits of all sessions of the person. */
  readonly limits: SessionLimits;
  /** The session ends then unless the person is active. */
  readonly idleEndsAtMs: number;
}

/** The settings that the lookup of a session depends on. */
export interface SessionRules {
  /** True if an identity provider is configured that can be asked for a proof. */
  readonly hasIdentityProvider: boolean;
  /** The setting: after so many idle minutes, the sessions of owners and operators end. */
  readonly ownerIdleMinutes: number;
}

/**
 * Finds the session of a token, unless it has ended. Looking it up doesn't count as activity.
 *
 * @throws StorageError
 */
export async function findSessionByToken(
  database: Database,
  token: string | undefined,
  nowMs: number,
  { hasIdentityProvider, ownerIdleMinutes }: SessionRules,
): Promise<FoundSession | undefined> {
  if (token === undefined || !/^[A-Za-z0-9_-]{20,64}$/.test(token)) return undefined;
  const row = await database
    .selectFrom('person_sessions as session')
    .innerJoin('persons as person', 'person.user_id', 'session.user_id')
    .where('session.token_hash', '=', tokenHash(token))
    .select((query) => {
      const count = query.fn.countAll<number>().as('count');
      const credentials = query
        .selectFrom('person_credentials')
        .whereRef('person_credentials.user_id', '=', 'session.user_id')
        .select(count);
      const countOf = (table: 'person_second_factors' | 'person_passkeys' | 'person_recovery_codes') =>
        query.selectFrom(table).whereRef(`${table}.user_id`, '=', 'session.user_id').select(count);
      return [
        'session.session_id as sessionId',
        'session.created_at_ms as startedAtMs',
        'session.last_seen_at_ms as lastSeenAtMs',
        'session.expires_at_ms as expiresAtMs',
        'session.password_proved_at_ms as passwordProvedAtMs',
        'session.factor_proved_at_ms as factorProvedAtMs',
        'person.user_id as userId',
        'person.name',
        'person.email',
        'person.language',
        credentials.where('provider_id', '=', 'credential').as('passwords'),
        credentials.where('provider_id', '=', 'oidc').as('subjects'),
        countOf('person_second_factors').as('apps'),
        countOf('person_passkeys').as('passkeys'),
        countOf('person_recovery_codes').as('codes'),
        query.exists(leadingPlaces(database, query.ref('session.user_id'))).as('isOwnerOrOperator'),
      ];
    })
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { passwordProvedAtMs, factorProvedAtMs, passwords, subjects, apps, passkeys, codes, ...found } = row;
  const { lastSeenAtMs, isOwnerOrOperator, language, ...session } = found;
  // SQLite returns a number, PostgreSQL a boolean.
  const limits = limitsOf(Boolean(isOwnerOrOperator), ownerIdleMinutes);
  const ends = endsOf({ ...session, lastSeenAtMs }, limits);
  if (!isOpenAt(ends, nowMs)) return undefined;
  const proofs = {
    language: language ?? undefined,
    hasPassword: (passwords ?? 0) > 0,
    isVouchedFor: hasIdentityProvider && (subjects ?? 0) > 0,
    hasTotp: (apps ?? 0) > 0,
    passkeyCount: passkeys ?? 0,
    recoveryCodesLeft: codes ?? 0,
  };
  const hasSecondFactor = proofs.hasTotp || proofs.passkeyCount > 0;
  // If the person has a second factor, only that counts: a password alone would be one factor.
  const provedAtMs = Math.max(factorProvedAtMs ?? 0, hasSecondFactor ? 0 : (passwordProvedAtMs ?? 0));
  const stepUpMethods = methodsOf(proofs, hasSecondFactor);
  return { ...session, ...proofs, ...ends, limits, hasSecondFactor, provedAtMs, stepUpMethods };
}

/** Selects the roles of a person that make their sessions shorter. */
function leadingPlaces(database: Database, userId: string | Expression<string>) {
  return database
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.account_id', 'members.account_id')
    .where('members.user_id', '=', userId)
    .where((member) =>
      member.or([member('members.role', '=', 'owner'), member('accounts.is_operator', '=', 1)]),
    )
    .select('members.user_id');
}

/** Lists how the person can prove their identity, best first. */
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

/** Starts a session and returns the token for its cookie. Only the token's hash is stored. */
export async function addSession(
  transaction: Transaction<Schema>,
  session: {
    readonly userId: string;
    readonly nowMs: number;
    readonly passwordProvedAtMs: number | undefined;
    readonly factorProvedAtMs: number | undefined;
    readonly sourceAddress: string;
    readonly userAgent: string;
  },
): Promise<string> {
  const { nowMs } = session;
  const token = newToken();
  await transaction
    .insertInto('person_sessions')
    .values({
      session_id: newId('session', nowMs),
      user_id: session.userId,
      token_hash: tokenHash(token),
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      last_seen_at_ms: nowMs,
      expires_at_ms: nowMs + longestSession.hours * 3_600_000,
      source_address: session.sourceAddress,
      user_agent: session.userAgent,
      password_proved_at_ms: session.passwordProvedAtMs ?? null,
      factor_proved_at_ms: session.factorProvedAtMs ?? null,
    })
    .execute();
  return token;
}

/** Records a fresh proof: `password` for the first factor, `factor` for a second factor or a passkey. */
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

/** Returns when a second factor was last given in a session; 0 if never. */
export async function factorProvedAt(database: Database, sessionId: string): Promise<number> {
  const row = await database
    .selectFrom('person_sessions')
    .select('factor_proved_at_ms')
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row?.factor_proved_at_ms ?? 0;
}

/** Records that the session's person is active. */
export async function noteActivity(database: Database, sessionId: string, nowMs: number): Promise<void> {
  await database
    .updateTable('person_sessions')
    .set({ last_seen_at_ms: nowMs })
    .where('session_id', '=', sessionId)
    .execute();
}

/** Ends one, all but one, or all of a person's sessions and returns how many there were. */
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
 * Makes sure that a session hasn't ended since the request arrived: its owner may have ended it because it was
 * stolen. Hold the person first.
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

/**
 * Deletes all sessions that have ended by the longest limits. Sessions of owners and of the operator's people
 * end earlier; their rows stay until then, but are never found: see `removeEndedSessionsOfPerson`.
 */
export async function removeSessionsPastAllLimits(database: Database, nowMs: number): Promise<void> {
  await database.deleteFrom('person_sessions').where(hasEnded(longestSession, nowMs)).execute();
}

/**
 * Deletes a person's sessions that have ended by the person's limits. Call it in the transaction that changes a
 * role, before the change: with longer limits, sessions that have ended would be open again.
 */
export async function removeEndedSessionsOfPerson(
  transaction: Database,
  userId: string,
  nowMs: number,
  ownerIdleMinutes: number,
): Promise<void> {
  const place = await leadingPlaces(transaction, userId).limit(1).executeTakeFirst();
  const limits = limitsOf(place !== undefined, ownerIdleMinutes);
  await transaction
    .deleteFrom('person_sessions')
    .where('user_id', '=', userId)
    .where(hasEnded(limits, nowMs))
    .execute();
}

/** The opposite of `isOpenAt`, as a database condition. */
function hasEnded({ idleMinutes, hours }: SessionLimits, nowMs: number) {
  return (row: ExpressionBuilder<Schema, 'person_sessions'>) =>
    row.or([
      row('expires_at_ms', '<=', nowMs),
      row('created_at_ms', '<=', nowMs - hours * 3_600_000),
      row('last_seen_at_ms', '<=', nowMs - idleMinutes * 60_000),
    ]);
}
