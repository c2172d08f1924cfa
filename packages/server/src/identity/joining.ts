import { type MemberRole, memberRolesOf } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { recordAudited } from '../registry/store/audit.ts';
import type { Schema } from '../storage/schema.ts';
import type { PeopleRequest } from './endpoint.ts';

/** A person that becomes a member. */
export interface JoiningPerson {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
}

/**
 * Makes a person a member of an account, with its audit event; who is one already stays what it is. To be called in a
 * change of the registry.
 *
 * @returns false when people cannot have that role in that account
 */
export async function joinAccount(
  transaction: Transaction<Schema>,
  person: JoiningPerson,
  accountId: string,
  role: MemberRole,
  request: Pick<PeopleRequest, 'nowMs' | 'source' | 'requestId'>,
): Promise<boolean> {
  const { userId, name, email } = person;
  const account = await transaction
    .selectFrom('accounts')
    .select('is_operator')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (account === undefined || !memberRolesOf({ isOperator: account.is_operator === 1 }).includes(role))
    return false;
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('members')
    .values({ account_id: accountId, user_id: userId, role, created_at_ms: request.nowMs })
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
      after: { name, email, role },
    },
    {
      nowMs: request.nowMs,
      actor: {
        kind: 'person',
        id: userId,
        name,
        sourceAddress: request.source.text,
        requestId: request.requestId,
      },
    },
  );
  return true;
}
