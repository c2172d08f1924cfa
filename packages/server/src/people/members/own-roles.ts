import type { Transaction } from 'kysely';
import { changeFor, notPermitted } from '../../registry/store/caller.ts';
import type { ChangeContext } from '../../registry/store/context.ts';
import { canApproveEverything, canChangeAnything, type HeldRole } from '../../registry/store/member-roles.ts';
import { type FullRole, readRole, type RoleUpdate, updateRole } from '../../registry/store/role-changes.ts';
import { isSecondPersonRequired } from '../../registry/store/second-person.ts';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { withdrawInvitationsOf, withdrawInvitationsTo } from './invitations.ts';
import { type PeopleAccount, peopleAccount, rolesIn } from './people-rules.ts';

/**
 * Changes one of an account's own roles, whomever it is for. For members, it has the consequences of giving each of them another
 * role: invitations that they may no longer send are withdrawn.
 *
 * @throws RegistryError as `updateRole`
 */
export async function changeRole(
  database: Database,
  roleId: string,
  change: RoleUpdate,
  initialContext: ChangeContext,
): Promise<FullRole> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const { holders } = await readRole(transaction, roleId, context.accountId);
    if (holders === 'clients') return updateRole(transaction, roleId, change, context);
    const account = await peopleAccount(transaction, context);
    const before = (await rolesIn(transaction, account, context)).get(roleId);
    const role = await updateRole(transaction, roleId, change, context);
    const after = (await rolesIn(transaction, account, context)).get(roleId);
    if (before !== undefined && after !== undefined)
      await followRole(transaction, account, { before, after }, context);
    return role;
  });
}

async function followRole(
  transaction: Transaction<Schema>,
  account: PeopleAccount,
  { before, after }: { readonly before: HeldRole; readonly after: HeldRole },
  context: ChangeContext,
): Promise<void> {
  const { accountId } = account;
  const holders = await transaction
    .selectFrom('members')
    .select('user_id')
    .where('account_id', '=', accountId)
    .where('role', '=', after.role)
    .execute();
  const isRequired = await isSecondPersonRequired(transaction, accountId);
  const isLost = canApproveEverything(before) && !canApproveEverything(after) && holders.length > 0;
  // As when they change one member's role: otherwise they could become the second person of their own changes.
  if (isRequired && isLost && context.actor.actingReason !== undefined) {
    throw notPermitted(
      'This account requires a second person, and members with this role can be one: only another member can take that away.',
    );
  }
  // Until now whoever invited someone could see the link, which is for one person alone in a role that approves.
  if (isRequired && canChangeAnything(after) && !canChangeAnything(before))
    await withdrawInvitationsTo(transaction, account, after.role, context);
  const isLess = [...before.permissions].some((permission) => !after.permissions.has(permission));
  if (!isLess) return;
  for (const { user_id: userId } of holders)
    await withdrawInvitationsOf(transaction, account, { userId, role: after }, context);
}
