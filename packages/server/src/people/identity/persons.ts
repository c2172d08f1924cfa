import { newId } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';

/** A person and their password hash. */
export interface PersonRecord {
  readonly userId: string;
  readonly name: string;
  /** In lower case. */
  readonly email: string;
  /** True if the person has ever proved control of the address. */
  readonly isEmailVerified: boolean;
  /** The language in which the person last used the portal; undefined before that. */
  readonly language?: string | undefined;
  /** Undefined for a person without a password. */
  readonly passwordHash: string | undefined;
}

/** Returns the form in which emails are stored and compared. */
export function canonicalEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}

/** Finds a person by email address or ID. */
export async function findPerson(
  database: Database,
  who: { readonly email: string } | { readonly userId: string },
): Promise<PersonRecord | undefined> {
  const query = database
    .selectFrom('persons')
    .leftJoin('person_credentials', (join) =>
      join
        .onRef('person_credentials.user_id', '=', 'persons.user_id')
        .on('person_credentials.provider_id', '=', passwordProvider),
    )
    .select([
      'persons.user_id as userId',
      'persons.name',
      'persons.email',
      'persons.is_email_verified',
      'persons.language',
      'person_credentials.password_hash',
    ]);
  const row = await (
    'email' in who
      ? query.where('persons.email', '=', canonicalEmail(who.email))
      : query.where('persons.user_id', '=', who.userId)
  ).executeTakeFirst();
  if (row === undefined) return undefined;
  const { is_email_verified: isVerified, password_hash: hash, language, ...person } = row;
  return {
    ...person,
    isEmailVerified: isVerified === 1,
    language: language ?? undefined,
    passwordHash: hash ?? undefined,
  };
}

/** Returns true if the service has any users yet. */
export async function hasPersons(database: Database): Promise<boolean> {
  return (await database.selectFrom('persons').select('user_id').limit(1).executeTakeFirst()) !== undefined;
}

/** Adds a person, with a password if there is a hash, and returns the ID. */
export async function addPerson(
  transaction: Transaction<Schema>,
  { name, email, isEmailVerified, passwordHash }: Omit<PersonRecord, 'userId'>,
  nowMs: number,
): Promise<string> {
  const userId = newId('person', nowMs);
  await transaction
    .insertInto('persons')
    .values({
      user_id: userId,
      name,
      email: canonicalEmail(email),
      is_email_verified: isEmailVerified ? 1 : 0,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
    })
    .execute();
  if (passwordHash !== undefined)
    await addCredential(
      transaction,
      userId,
      { provider: passwordProvider, subject: userId, passwordHash },
      nowMs,
    );
  return userId;
}

/** Links a person to the subject under which the identity provider knows them. */
export async function linkSubject(
  transaction: Transaction<Schema>,
  userId: string,
  subject: string,
  nowMs: number,
): Promise<void> {
  await addCredential(transaction, userId, { provider: subjectProvider, subject }, nowMs);
}

/** Finds the person who is linked to one of the identity provider's subjects. */
export async function findSubject(database: Database, subject: string): Promise<PersonRecord | undefined> {
  const row = await database
    .selectFrom('person_credentials')
    .select('user_id')
    .where('provider_id', '=', subjectProvider)
    .where('provider_account_id', '=', subject)
    .executeTakeFirst();
  return row && findPerson(database, { userId: row.user_id });
}

/** Returns true if the person is linked to any of the identity provider's subjects. */
export async function hasSubject(database: Database, userId: string): Promise<boolean> {
  const row = await database
    .selectFrom('person_credentials')
    .select('user_id')
    .where('provider_id', '=', subjectProvider)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Makes other changes to how this person signs in wait until the transaction ends, so that everything it reads
 * stays true: a sign-in with a password that is being replaced must not lead to a session.
 */
export async function holdPerson(transaction: Transaction<Schema>, userId: string): Promise<void> {
  await transaction
    .updateTable('persons')
    .set((row) => ({ updated_at_ms: row.ref('updated_at_ms') }))
    .where('user_id', '=', userId)
    .execute();
}

/** Returns true if the password is still the one that was checked. Hold the person first. */
export async function hasSamePassword(
  transaction: Transaction<Schema>,
  { userId, passwordHash }: Pick<PersonRecord, 'userId' | 'passwordHash'>,
): Promise<boolean> {
  return (await findPerson(transaction, { userId }))?.passwordHash === passwordHash;
}

/** Notes the language in which a person uses the portal, for the emails to them. */
export async function noteLanguage(database: Database, userId: string, language: string): Promise<void> {
  await database.updateTable('persons').set({ language }).where('user_id', '=', userId).execute();
}

/** Replaces a person's password. Does nothing for a person without one. */
export async function changePassword(
  database: Database,
  userId: string,
  passwordHash: string,
  nowMs: number,
): Promise<void> {
  await database
    .updateTable('person_credentials')
    .set({ password_hash: passwordHash, updated_at_ms: nowMs })
    .where('user_id', '=', userId)
    .where('provider_id', '=', passwordProvider)
    .execute();
}

const passwordProvider = 'credential';
const subjectProvider = 'oidc';

async function addCredential(
  transaction: Transaction<Schema>,
  userId: string,
  credential: { readonly provider: string; readonly subject: string; readonly passwordHash?: string },
  nowMs: number,
): Promise<void> {
  await transaction
    .insertInto('person_credentials')
    .values({
      credential_id: newId('credential', nowMs),
      user_id: userId,
      provider_id: credential.provider,
      provider_account_id: credential.subject,
      password_hash: credential.passwordHash ?? null,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
    })
    .execute();
}
