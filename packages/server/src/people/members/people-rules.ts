import { leadingRole } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { GuardedChange } from '../../registry/guarded-change.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { readAccount } from '../../registry/store/accounts.ts';
import { notPermitted } from '../../registry/store/caller.ts';
import type { ChangeContext } from '../../registry/store/context.ts';
import { contentOfOwn, type HeldRole, readMemberRoles } from '../../registry/store/member-roles.ts';

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

/** The roles that people can have in an account, by what members store. */
export type AccountRoles = ReadonlyMap<string, HeldRole>;

export function rolesIn(
  transaction: Transaction<Schema>,
  account: PeopleAccount,
  { addedPermissions = {} }: ChangeContext,
): Promise<AccountRoles> {
  return readMemberRoles(transaction, account, addedPermissions);
}

/**
 * Finds a role by the name that a caller gives.
 *
 * @throws RegistryError `member_role_invalid` for a role that people in this account can't have
 */
export function roleNamed(roles: AccountRoles, name: string): HeldRole {
  const role = roles.values().find((one) => one.name === name);
  if (role !== undefined) return role;
  const names = [...roles.values()].map((one) => one.name);
  const others = names.length > namesShownMax ? ` and ${names.length - namesShownMax} others` : '';
  const shown = names.slice(0, namesShownMax).join(', ');
  throw new RegistryError('member_role_invalid', `Choose one of these member roles: ${shown}${others}.`, {
    member: ['role'],
  });
}

/** Limits the message, because an account may have very many roles. */
const namesShownMax = 50;

/** Returns what a role is to a second person, by its name and, for one of the account's own, with what it contains. */
export function roleInWords(role: HeldRole): Readonly<Record<string, unknown>> {
  return { role: role.name, ...contentOfOwn(role) };
}

/**
 * Checks that only holders of the leading role grant or revoke it. An admin can't, despite having all other
 * permissions.
 *
 * @param roles the roles that are granted or revoked, as members store them
 * @throws RegistryError `leading_role_held`
 */
export function checkLead(
  account: PeopleAccount,
  { memberRole }: ChangeContext,
  ...roles: readonly string[]
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
  role: HeldRole,
): Promise<Pick<GuardedChange, 'grants' | 'leadingRole'>> {
  const grants = [...role.permissions];
  const leading = leadingRole(account);
  if (role.role !== leading || (await countLeaders(transaction, account)) < 2) return { grants };
  return { grants, leadingRole: leading };
}
