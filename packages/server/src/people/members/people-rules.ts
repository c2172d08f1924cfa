import { leadingRole, type MemberRole, memberRoles, memberRolesOf } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { GuardedChange } from '../../registry/guarded-change.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { readAccount } from '../../registry/store/accounts.ts';
import { notPermitted } from '../../registry/store/caller.ts';
import type { ChangeContext } from '../../registry/store/context.ts';

/** The parts of an account that matter for its people. */
export interface PeopleAccount {
  readonly accountId: string;
  readonly name: string;
  readonly isOperator: boolean;
}

/** Reads the account whose people are changed. Only a person can change them. */
export async function peopleAccount(
  transaction: Transaction<Schema>,
  { accountId, memberRole }: ChangeContext,
): Promise<PeopleAccount> {
  if (accountId === undefined || memberRole === undefined) throw notPermitted();
  return readAccount(transaction, accountId);
}

/** Throws RegistryError `member_role_invalid` for a role that people in such an account can't have. */
export function checkRole(role: MemberRole, account: PeopleAccount): void {
  const roles = memberRolesOf(account);
  if (roles.includes(role)) return;
  throw new RegistryError('member_role_invalid', `Choose one of these member roles: ${roles.join(', ')}.`, {
    member: ['role'],
  });
}

/**
 * Checks that only holders of the leading role grant or revoke it. An admin can't, despite having all other
 * permissions.
 *
 * @param roles the roles that are granted or revoked
 * @throws RegistryError `leading_role_held`
 */
export function checkLead(
  account: PeopleAccount,
  { memberRole }: ChangeContext,
  ...roles: readonly MemberRole[]
): void {
  const leading = leadingRole(account);
  if (memberRole === leading || !roles.includes(leading)) return;
  throw new RegistryError('leading_role_held', `Only an ${leading} can grant or remove the role ${leading}.`);
}

/** Returns true if the account's leading role has a holder. */
export async function hasLeader(transaction: Transaction<Schema>, account: PeopleAccount): Promise<boolean> {
  return (await countLeaders(transaction, account)) > 0;
}

/** Counts the holders of the account's leading role, up to 2. */
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

/**
 * Returns what a role gives, for the second person who must have it as well. If the account's leading role has no other
 * holder than whoever asks, someone with another role can approve giving it.
 */
export async function grantsOf(
  transaction: Transaction<Schema>,
  account: PeopleAccount,
  role: MemberRole,
): Promise<Pick<GuardedChange, 'grants' | 'leadingRole'>> {
  const grants = memberRoles[role].permissions;
  if (role !== leadingRole(account) || (await countLeaders(transaction, account)) < 2) return { grants };
  return { grants, leadingRole: role };
}
