import type { Transaction } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import type { Database } from '../storage/transaction.ts';

/** A person, with what it signs in with. */
export interface PersonRecord {
  readonly userId: string;
  readonly name: string;
  /** In lower case. */
  readonly email: string;
  /** Whether the person has ever proved to have that address. */
  readonly isEmailVerified: boolean;
  /** Undefined for a person without a password. */
  readonly passwordHash: string | undefined;
}

/** The form in which emails are kept and compared. */
export function canonicalEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}

/** The person of an email address, or of an id. */
export async function findPerson(
  database: Database,
  who: { readonly email: string } | { readonly userId: string },
): Promise<PersonRecord | undefined> {
  const query = database
    .selectFrom('persons')
    .leftJoin('person_credentials', (join) =>
      join
        .onRef('person_credentials.user_id', '=', 'persons.user_id')
        .on('person_credentials.provider_id', '=', 'credential'),
    )
    .select([
      'persons.user_id',
      'persons.name',
      'persons.email',
      'persons.is_email_verified',
      'person_credentials.password_hash',
    ]);
  const row = await (
    'email' in who
      ? query.where('persons.email', '=', canonicalEmail(who.email))
      : query.where('persons.user_id', '=', who.userId)
  ).executeTakeFirst();
  if (row === undefined) return undefined;
  const { user_id: userId, name, email, password_hash: passwordHash } = row;
  const isEmailVerified = row.is_email_verified === 1;
  return { userId, name, email, isEmailVerified, passwordHash: passwordHash ?? undefined };
}

/** Whether there is anybody. */
export async function isAnybodyThere(database: Database): Promise<boolean> {
  return (await database.selectFrom('persons').select('user_id').limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Has other changes of how a person signs in wait until the transaction ends, so that what it looks at stays true: a sign-in
 * with a password that is being changed must not end with a session.
 */
export async function holdPerson(transaction: Transaction<Schema>, userId: string): Promise<void> {
  await transaction
    .updateTable('persons')
    .set((row) => ({ updated_at_ms: row.ref('updated_at_ms') }))
    .where('user_id', '=', userId)
    .execute();
}

/** Whether the password of a person is still the one that was looked at. To be asked while the person is held. */
export async function hasSamePassword(
  transaction: Transaction<Schema>,
  { userId, passwordHash }: Pick<PersonRecord, 'userId' | 'passwordHash'>,
): Promise<boolean> {
  return (await findPerson(transaction, { userId }))?.passwordHash === passwordHash;
}

/** Gives a person a new password. A person without one stays without. */
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
    .where('provider_id', '=', 'credential')
    .execute();
}
