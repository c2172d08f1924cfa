import { newId } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { recordAudited } from '../../registry/store/audit.ts';
import { changeRegistry } from '../../registry/store/changes.ts';
import { readMemberRole } from '../../registry/store/member-roles.ts';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import type { Call } from './endpoint.ts';
import type { PasswordHasher } from './passwords.ts';
import type { NewMember } from './people.ts';
import { addPerson, canonicalEmail, changePassword, findPerson, type PersonRecord } from './persons.ts';

type JoiningRequest = Pick<Call, 'nowMs' | 'source' | 'requestId'>;

/** Returns the actor for the audit log of a person's request. */
export function actorOf(
  { userId, name }: Pick<PersonRecord, 'userId' | 'name'>,
  { source, requestId }: JoiningRequest,
): { kind: 'person'; id: string; name: string; sourceAddress: string; requestId: string } {
  return { kind: 'person', id: userId, name, sourceAddress: source.text, requestId };
}

/**
 * Adds a person to an account, with its audit event. Existing members stay unchanged. Call it in a change of
 * the registry.
 *
 * @param roleGiven the name of a built-in role, or the ID of one of the account's own
 * @returns false if that account has no such role for people
 */
export async function joinAccount(
  transaction: Transaction<Schema>,
  person: Pick<PersonRecord, 'userId' | 'name' | 'email'>,
  accountId: string,
  roleGiven: string,
  request: JoiningRequest,
): Promise<boolean> {
  const { userId, name, email } = person;
  const { nowMs } = request;
  const account = await transaction
    .selectFrom('accounts')
    .select('is_operator')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (account === undefined) return false;
  const isOperator = account.is_operator === 1;
  const role = await readMemberRole(transaction, { accountId, isOperator }, roleGiven, {});
  if (role === undefined) return false;
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('members')
    .values({ account_id: accountId, user_id: userId, role: role.role, created_at_ms: nowMs })
    .onConflict((conflict) => conflict.columns(['account_id', 'user_id']).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) return true;
  await recordAudited(
    transaction,
    {
      subject: 'member',
      subjectId: userId,
      accountId,
      action: 'member.joined',
      targets: [
        { type: 'member', id: userId },
        { type: 'account', id: accountId },
      ],
      after: { name, email, role: role.name },
    },
    { nowMs, actor: actorOf(person, request) },
  );
  return true;
}

/** Adds a member without an invitation and returns their ID. An existing person gets the password. */
export async function addMember(
  database: Database,
  passwords: PasswordHasher,
  { name, email: given, password, accountId, role }: NewMember,
  nowMs: number,
): Promise<string> {
  const email = canonicalEmail(given);
  const passwordHash = password === undefined ? undefined : await passwords.hash(password);
  return changeRegistry(database, async (transaction) => {
    const known = await findPerson(transaction, { email });
    const person = { name, email, passwordHash, isEmailVerified: false };
    const userId = known?.userId ?? (await addPerson(transaction, person, nowMs));
    // A demonstration that was interrupted during its first start had another password.
    if (known && passwordHash !== undefined) await changePassword(transaction, userId, passwordHash, nowMs);
    const request = { nowMs, source: { address: undefined, text: '' }, requestId: newId('request', nowMs) };
    if (!(await joinAccount(transaction, { userId, name, email }, accountId, role, request)))
      throw new Error(`No one can be ${role} of that account.`);
    return userId;
  });
}
