import { type DeploymentPermissions, isPermission, type Permission } from '@countersign/contract';
import type { Schema } from '../../storage/schema.ts';
import type { Transaction } from 'kysely';
import type { Database } from '../../storage/transaction.ts';
import type { GuardedChange } from '../guarded-change.ts';
import { RegistryError } from '../registry-error.ts';
import type { ChangeContext } from './context.ts';
import { canApproveEverything, readMemberRoles, type RoleAccount } from './member-roles.ts';

/**
 * Lets a risky change pass only with a second person, if its account requires one. Every such change calls this in its
 * transaction, whatever way it came.
 *
 * What the second person approved must be exactly what is changed now.
 *
 * @throws RegistryError `second_person_required`; `version_changed` if it is no longer what was approved
 */
export async function requireSecondPerson(
  transaction: Transaction<Schema>,
  change: GuardedChange,
  { approved, needsNoSecondPerson }: ChangeContext,
): Promise<void> {
  if (needsNoSecondPerson === true) return;
  if (approved !== undefined) {
    if (JSON.stringify(contentOf(approved)) === JSON.stringify(contentOf(change))) return;
    throw new RegistryError(
      'version_changed',
      'What it would change is no longer what was requested: ask for it again.',
    );
  }
  if (!(await isSecondPersonRequired(transaction, change.accountId))) return;
  throw new RegistryError(
    'second_person_required',
    'In this account, this change needs the approval of a second person: a person must ask for it in the portal, alone and not together with others.',
    { guarded: change },
  );
}

function contentOf({ accountId, target, before, after }: GuardedChange): readonly unknown[] {
  return [accountId, target.type, target.id, before ?? null, after ?? null];
}

/** What someone may do in an account, who would be the second person. */
export interface Approver {
  readonly permissions: ReadonlySet<Permission>;
  readonly memberRole: string | undefined;
}

/**
 * Returns why someone may not approve a change: they could not make it themselves, because nobody gives what they do not have.
 * Permissions that the deployment does not know grant nothing.
 *
 * @param added the permissions that the deployment adds
 * @returns undefined if they could make it
 */
export function reasonNotToApprove(
  { grants = [], leadingRole }: GuardedChange,
  { permissions, memberRole }: Approver,
  added: DeploymentPermissions,
): string | undefined {
  const held: ReadonlySet<string> = permissions;
  const missing = grants.filter(
    (name) => (isPermission(name) || Object.hasOwn(added, name)) && !held.has(name),
  );
  if (missing.length > 0)
    return `It would grant permissions that you do not have, so someone who has them must decide it: ${missing.join(', ')}.`;
  if (leadingRole === undefined || leadingRole === memberRole) return undefined;
  return `It would grant the role ${leadingRole}, so another ${leadingRole} must decide it.`;
}

/** Returns true if an account's risky changes wait for a second person. */
export async function isSecondPersonRequired(database: Database, accountId: string): Promise<boolean> {
  const row = await database
    .selectFrom('security_policies')
    .select('is_second_person_required')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.is_second_person_required === 1;
}

/** Counts the members who can approve every change, up to 2. */
export async function countApprovers(database: Database, account: RoleAccount): Promise<number> {
  const all = await readMemberRoles(database, account, {});
  const roles = [...all.values()].filter(canApproveEverything).map(({ role }) => role);
  const rows = await database
    .selectFrom('members')
    .select('user_id')
    .where('account_id', '=', account.accountId)
    .where('role', 'in', roles)
    .limit(2)
    .execute();
  return rows.length;
}
