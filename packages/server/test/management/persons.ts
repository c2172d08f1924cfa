import { createHash } from 'node:crypto';
import { newId } from '@countersign/contract';
import { baseUrl } from '@countersign/testing/running-service';
import { newToken, tokenHash } from '../../src/people/identity/tokens.ts';
import { sessionCookie } from '../../src/people/sessions/session-cookie.ts';
import { changeRegistry } from '../../src/registry/store/changes.ts';
import type { Database } from '../../src/storage/transaction.ts';

/** A signed-in person, in the account that the requests name. */
export interface Person {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly sessionId: string;
  readonly hasSecondFactor: boolean;
  /** The whole `Cookie` header. */
  readonly cookie: string;
  readonly accountId: string;
}

/** What a person may have that others do not. */
export interface PersonOptions {
  readonly accountId: string;
  /** A built-in role, or the ID of one of the account's own. None: the person belongs to nothing. */
  readonly role?: string | undefined;
  readonly nowMs: number;
  /** Unless set, everyone in the operator's account has one, because they need it. */
  readonly hasSecondFactor?: boolean;
  /** When the person gave all its proofs last; now unless set. */
  readonly provedAtMs?: number;
  readonly name?: string;
}

/** Writes a person with a password, a membership and a session, as signing in would. */
export async function addPerson(database: Database, options: PersonOptions): Promise<Person> {
  const { accountId, role, nowMs } = options;
  const hasSecondFactor = options.hasSecondFactor ?? (await isOperator(database, accountId));
  const userId = newId('person', nowMs);
  const name = options.name ?? `Person ${role ?? 'of nothing'}`;
  const email = `${userId.slice(-10)}@example.test`;
  await changeRegistry(database, async (transaction) => {
    await transaction
      .insertInto('persons')
      .values({
        user_id: userId,
        name,
        email,
        is_email_verified: 1,
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
      })
      .execute();
    await transaction
      .insertInto('person_credentials')
      .values({
        credential_id: newId('credential', nowMs),
        user_id: userId,
        provider_id: 'credential',
        provider_account_id: userId,
        password_hash: 'nothing fits',
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
      })
      .execute();
    if (hasSecondFactor) {
      await transaction
        .insertInto('person_second_factors')
        .values({ user_id: userId, secret: 'unreadable', created_at_ms: nowMs, last_used_step: 0 })
        .execute();
    }
    if (role !== undefined) {
      await transaction
        .insertInto('members')
        .values({ account_id: accountId, user_id: userId, role, created_at_ms: nowMs })
        .execute();
    }
  });
  return addSession(database, { userId, name, email, accountId, hasSecondFactor }, options);
}

async function isOperator(database: Database, accountId: string): Promise<boolean> {
  const account = await database
    .selectFrom('accounts')
    .select('is_operator')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return account?.is_operator === 1;
}

/** Signs a person in once more. */
export async function addSession(
  database: Database,
  person: Pick<Person, 'userId' | 'name' | 'email' | 'accountId' | 'hasSecondFactor'>,
  {
    nowMs,
    provedAtMs = nowMs,
    hasSecondFactor = person.hasSecondFactor,
  }: Pick<PersonOptions, 'nowMs' | 'provedAtMs' | 'hasSecondFactor'>,
): Promise<Person> {
  const { userId, name, email, accountId } = person;
  const sessionId = newId('session', nowMs);
  const token = newToken();
  await changeRegistry(database, (transaction) =>
    transaction
      .insertInto('person_sessions')
      .values({
        session_id: sessionId,
        user_id: userId,
        token_hash: tokenHash(token),
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
        last_seen_at_ms: nowMs,
        expires_at_ms: nowMs + 86_400_000,
        source_address: '127.0.0.1',
        user_agent: 'test',
        password_proved_at_ms: provedAtMs,
        factor_proved_at_ms: hasSecondFactor ? provedAtMs : null,
      })
      .execute(),
  );
  return { userId, name, email, sessionId, accountId, hasSecondFactor, cookie: `${sessionCookie}=${token}` };
}

/** What the portal sends with a request of a person. */
export function headersOf(person: Person, method: string): Record<string, string> {
  const isReading = method === 'GET' || method === 'HEAD';
  return {
    Cookie: person.cookie,
    'Countersign-Account': person.accountId,
    'Sec-Fetch-Site': 'same-origin',
    ...(!isReading && { Origin: new URL(baseUrl).origin, 'Countersign-CSRF': '1' }),
  };
}

/** Everything that is stored, but for what changes by looking: so that two looks tell whether anything was changed. */
export async function stateOf(database: Database): Promise<string> {
  const hash = createHash('sha256');
  for (const table of watchedTables) {
    const rows = await database.selectFrom(table).selectAll().execute();
    const texts = rows.map((row) => JSON.stringify({ ...row, last_seen_at_ms: 0, updated_at_ms: 0 }));
    hash.update(`${table}\n${texts.toSorted().join('\n')}\n`);
  }
  return hash.digest('hex');
}

const watchedTables = [
  'accounts',
  'clients',
  'client_keys',
  'client_roles',
  'network_entries',
  'roles',
  'role_permissions',
  'payments',
  'registry_version',
  'audit_events',
  'idempotency_keys',
  'persons',
  'person_credentials',
  'person_sessions',
  'members',
  'invitations',
  'acting_sessions',
  'security_policies',
  'pending_changes',
] as const;
