import { leadingRole, type MemberRole, memberRolesOf } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { RegistryError } from '../registry-error.ts';
import { readAccount } from './accounts.ts';
import { notPermitted } from './caller.ts';
import type { ChangeContext } from './context.ts';

/** An account, as far as its people matter. */
export interface PeopleAccount {
  readonly accountId: string;
  readonly name: string;
  readonly isOperator: boolean;
}

/** The account in which a person changes something. Whoever is no person does not change people. */
export async function peopleAccount(
  transaction: Transaction<Schema>,
  { accountId, memberRole }: ChangeContext,
): Promise<PeopleAccount> {
  if (accountId === undefined || memberRole === undefined) throw notPermitted();
  return readAccount(transaction, accountId);
}

/** Throws RegistryError `member_role_invalid` for a role that people of such an account do not have. */
export function checkRole(role: MemberRole, account: PeopleAccount): void {
  const roles = memberRolesOf(account);
  if (roles.includes(role)) return;
  throw new RegistryError('member_role_invalid', `Give a role that people have here: ${roles.join(', ')}.`, {
    member: ['role'],
  });
}

/**
 * Those who lead an account decide who else does. It makes no difference that an admin may do all else.
 *
 * @param roles that are given or taken
 * @throws RegistryError `leading_role_held`
 */
export function checkLead(
  account: PeopleAccount,
  { memberRole }: ChangeContext,
  ...roles: readonly MemberRole[]
): void {
  const leading = leadingRole(account);
  if (memberRole === leading || !roles.includes(leading)) return;
  throw new RegistryError('leading_role_held', `Only an ${leading} gives or takes the role ${leading}.`);
}

/** Whether somebody leads the account. */
export async function hasLeader(transaction: Transaction<Schema>, account: PeopleAccount): Promise<boolean> {
  return (await countLeaders(transaction, account)) > 0;
}

/** How many lead the account; 2 stands for all that are more. */
export async function countLeaders(
  transaction: Transaction<Schema>,
  account: PeopleAccount,
): Promise<number> {
  const rows = await transaction
    .selectFrom('members')
    .select('user_id')
    .where('account_id', '=', account.accountId)
    .where('role', '=', leadingRole(account))
    .limit(2)
    .execute();
  return rows.length;
}
