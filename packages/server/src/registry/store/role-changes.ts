import {
  canBePermissionOf,
  countsIn,
  isBuiltInRole,
  isMemberRole,
  newId,
  type Permission,
  type RoleHolders,
} from '@countersign/contract';
import type { Selectable, Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { RolesTable } from '../tables.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { readAccount } from './accounts.ts';
import { difference, type Difference, recordAudited } from './audit.ts';
import { changeFor, notPermitted } from './caller.ts';
import { checkVersion } from './client-change.ts';
import type { ChangeContext } from './context.ts';
import { checkGrant, isKnown, operatorRole } from './roles.ts';
import { requireSecondPerson } from './second-person.ts';

/** A role with everything that the API shows. */
export interface FullRole {
  readonly roleId: string;
  /** Undefined for a built-in role. */
  readonly accountId: string | undefined;
  readonly name: string;
  readonly summary: string;
  readonly holders: RoleHolders;
  /**
   * The stored permissions, sorted, including those that the deployment does not know. Empty for a built-in
   * role, whose permissions the contract defines.
   */
  readonly permissions: readonly Permission[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** A custom role to add. */
export interface NewRole {
  readonly name: string;
  readonly summary?: string | undefined;
  /** Default clients. */
  readonly holders?: RoleHolders | undefined;
  readonly permissions: readonly Permission[];
}

/** Changes to a custom role. Whom it is for stays. */
export type RoleUpdate = {
  readonly [Member in 'name' | 'summary' | 'permissions']?: NewRole[Member] | undefined;
};

/** Lists an account's custom roles in id order. */
export async function listRoles(
  database: Database,
  page: {
    readonly accountId: string;
    readonly holders: RoleHolders;
    readonly afterRoleId?: string | undefined;
    readonly limit: number;
  },
): Promise<FullRole[]> {
  let query = database
    .selectFrom('roles')
    .selectAll()
    .where('account_id', '=', page.accountId)
    .where('holders', '=', page.holders);
  if (page.afterRoleId !== undefined) query = query.where('role_id', '>', page.afterRoleId);
  return withPermissions(database, await query.orderBy('role_id').limit(page.limit).execute());
}

/** Lists the account's built-in roles by name. */
export async function listBuiltInRoles(database: Database, isOperator: boolean): Promise<FullRole[]> {
  const rows = await database
    .selectFrom('roles')
    .selectAll()
    .where('account_id', 'is', null)
    .orderBy('role_id')
    .execute();
  const known = rows.filter(({ role_id: roleId }) => isOperator || roleId !== operatorRole);
  return withPermissions(database, known);
}

/**
 * Reads one role, built-in or custom.
 *
 * @param accountId the only account whose roles are visible; undefined for every account
 * @throws RegistryError `role_not_found`
 */
export async function readRole(
  database: Database,
  roleId: string,
  accountId: string | undefined,
): Promise<FullRole> {
  const row = await database.selectFrom('roles').selectAll().where('role_id', '=', roleId).executeTakeFirst();
  const [role] = await withPermissions(database, row === undefined ? [] : [row]);
  const isVisible = accountId === undefined || role?.accountId === undefined || role.accountId === accountId;
  if (role === undefined || !isVisible)
    throw new RegistryError('role_not_found', 'There is no such role: check the roleId.');
  return role;
}

/**
 * Adds a custom role to an account.
 *
 * @throws RegistryError `account_unknown`, `role_name_taken`, `permission_not_held`, `role_permission_invalid`,
 *   `caller_not_permitted`
 */
export async function addRole(
  database: Database,
  accountId: string,
  role: NewRole,
  initialContext: ChangeContext,
): Promise<FullRole> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const { name, summary = '', holders = 'clients', permissions } = role;
    if (holders === 'members') checkManagesMembers(context);
    await checkPermissions(transaction, { accountId, holders, permissions: [] }, permissions, context);
    await checkNameFree(transaction, accountId, { name, holders });
    const roleId = newId('role', context.nowMs);
    const times = { created_at_ms: context.nowMs, updated_at_ms: context.nowMs };
    await transaction
      .insertInto('roles')
      .values({ role_id: roleId, account_id: accountId, name, summary, holders, ...times })
      .execute();
    await writePermissions(transaction, roleId, permissions);
    const after = { ...contentOf(role), ...(holders === 'members' && { holders }) };
    await record(transaction, 'role.added', { roleId, accountId }, undefined, after, context);
    return readRole(transaction, roleId, undefined);
  });
}

/**
 * Changes a custom role for everyone who has it. The caller must hold every new permission. In a role for clients, existing ones may
 * stay; of a role for members, the caller must hold them all, because changing it changes what other people may do.
 *
 * Whoever changes a role for members also withdraws the invitations that its holders may no longer send: call
 * `changeRole` in `people/members/own-roles.ts`.
 *
 * @throws RegistryError `role_not_found`, `role_built_in`, `version_changed`, `role_name_taken`,
 *   `permission_not_held`, `role_permission_invalid`, `caller_not_permitted`
 */
export async function updateRole(
  database: Database,
  roleId: string,
  change: RoleUpdate,
  initialContext: ChangeContext,
): Promise<FullRole> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const role = await readOwnRole(transaction, roleId, context);
    const { name = role.name, summary = role.summary, permissions = role.permissions } = change;
    const next = { name, summary, permissions: [...new Set(permissions)].toSorted() };
    const differs = difference(contentOf(role), contentOf(next));
    if (differs === undefined) return role;
    await checkPermissions(transaction, role, permissions, context);
    if (name !== role.name) await checkNameFree(transaction, role.accountId, { name, holders: role.holders });
    const added = next.permissions.filter((permission) => !role.permissions.includes(permission));
    if (added.length > 0) {
      const { accountId } = role;
      const target = { type: 'role', id: roleId, name: role.name } as const;
      const grants = role.holders === 'members' ? heldBy(role, added) : added;
      await requireSecondPerson(transaction, { accountId, target, ...differs, grants }, context);
    }
    await transaction.updateTable('roles').set({ name, summary }).where('role_id', '=', roleId).execute();
    await writePermissions(transaction, roleId, next.permissions);
    await recordUpdate(transaction, role, { name, ...differs }, context);
    return readRole(transaction, roleId, undefined);
  });
}

/** Records a change of a role. Of a role for members, the event has the name, too: people look for what they can do now. */
async function recordUpdate(
  transaction: Transaction<Schema>,
  role: OwnRole,
  { name, before, after }: Difference & { readonly name: string },
  context: ChangeContext,
): Promise<void> {
  const isNamed = role.holders === 'members';
  const old = { ...(isNamed && { name: role.name }), ...before };
  const next = { ...(isNamed && { name }), ...after };
  await record(transaction, 'role.updated', role, old, next, context);
}

/**
 * Removes a custom role that nobody has: no client, no member and no invitation.
 *
 * @returns the removed role
 * @throws RegistryError `role_not_found`, `role_built_in`, `version_changed`, `role_in_use`,
 *   `permission_not_held`, `caller_not_permitted`
 */
export async function removeRole(
  database: Database,
  roleId: string,
  initialContext: ChangeContext,
): Promise<FullRole> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const role = await readOwnRole(transaction, roleId, context);
    await checkUnused(transaction, role);
    await transaction.deleteFrom('role_permissions').where('role_id', '=', roleId).execute();
    await record(transaction, 'role.removed', role, contentOf(role), undefined, context);
    await transaction.deleteFrom('roles').where('role_id', '=', roleId).execute();
    return role;
  });
}

type OwnRole = FullRole & { readonly accountId: string };

async function readOwnRole(
  transaction: Transaction<Schema>,
  roleId: string,
  context: ChangeContext,
): Promise<OwnRole> {
  const role = await readRole(transaction, roleId, context.accountId);
  if (role.accountId === undefined) {
    throw new RegistryError(
      'role_built_in',
      'A built-in role cannot be changed or removed: add a role of your own.',
    );
  }
  if (role.holders === 'members') {
    checkManagesMembers(context);
    const { grantable, addedPermissions = {} } = context;
    const known = role.permissions.filter((name) => isKnown(name, 'members', addedPermissions));
    if (grantable !== undefined) checkGrant(known, grantable);
  }
  checkVersion(role.version, context);
  return { ...role, accountId: role.accountId };
}

/**
 * Checks that a person manages the account's members: a role for members decides what other people may do. No client does.
 *
 * @throws RegistryError `caller_not_permitted`
 */
function checkManagesMembers({ grantable }: ChangeContext): void {
  if (grantable === undefined || grantable.has('members:write')) return;
  throw notPermitted('Roles for members need the permission members:write as well.');
}

/** Returns what a second person must have to change a role for members: what they need to make the same change. */
function heldBy({ permissions }: OwnRole, added: readonly Permission[]): readonly Permission[] {
  return [...new Set<Permission>([...permissions, ...added, 'members:write'])].toSorted();
}

async function checkUnused(transaction: Transaction<Schema>, { roleId, accountId }: OwnRole): Promise<void> {
  const client = await transaction
    .selectFrom('client_roles')
    .select('client_id')
    .where('role_id', '=', roleId)
    .executeTakeFirst();
  if (client !== undefined) {
    throw new RegistryError(
      'role_in_use',
      `Clients such as ${client.client_id} have this role: remove it from them first.`,
    );
  }
  const member = await transaction
    .selectFrom('members')
    .innerJoin('persons', 'persons.user_id', 'members.user_id')
    .select('persons.name')
    .where('members.account_id', '=', accountId)
    .where('members.role', '=', roleId)
    .executeTakeFirst();
  if (member !== undefined) {
    throw new RegistryError(
      'role_in_use',
      `Members such as ${member.name} have this role: give them another one first.`,
    );
  }
  const invitation = await transaction
    .selectFrom('invitations')
    .select('email')
    .where('account_id', '=', accountId)
    .where('role', '=', roleId)
    .where('accepted_at_ms', 'is', null)
    .executeTakeFirst();
  if (invitation === undefined) return;
  throw new RegistryError(
    'role_in_use',
    `Invitations such as the one to ${invitation.email} have this role: withdraw them first.`,
  );
}

async function checkPermissions(
  transaction: Transaction<Schema>,
  before: Pick<OwnRole, 'accountId' | 'holders' | 'permissions'>,
  permissions: readonly Permission[],
  { grantable, addedPermissions = {} }: ChangeContext,
): Promise<void> {
  const { accountId, holders } = before;
  const account = await readAccount(transaction, accountId);
  const added = permissions.filter((permission) => !before.permissions.includes(permission));
  for (const permission of added) {
    const member = ['permissions', permissions.indexOf(permission)];
    if (!isKnown(permission, holders, addedPermissions)) {
      const query = holders === 'members' ? '?holders=members' : '';
      const advice = `Write a permission that GET /v1/permissions${query} lists.`;
      throw new RegistryError('role_permission_invalid', advice, { member });
    }
    if (!countsIn(account, permission)) {
      const advice = "This permission exists in the operator's account only.";
      throw new RegistryError('role_permission_invalid', advice, { member });
    }
  }
  if (grantable !== undefined) checkGrant(added, grantable);
}

async function checkNameFree(
  transaction: Transaction<Schema>,
  accountId: string,
  { name, holders }: Pick<FullRole, 'name' | 'holders'>,
): Promise<void> {
  const own = await transaction
    .selectFrom('roles')
    .select('role_id')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  // No own role looks like a built-in one, whomever it is for.
  if (own !== undefined || isBuiltInRole(name) || (holders === 'members' && isMemberRole(name)))
    throw new RegistryError('role_name_taken', 'A role with this name already exists: choose another one.');
}

async function writePermissions(
  transaction: Transaction<Schema>,
  roleId: string,
  permissions: readonly Permission[],
): Promise<void> {
  await transaction.deleteFrom('role_permissions').where('role_id', '=', roleId).execute();
  const rows = [...new Set(permissions)].map((permission) => ({ role_id: roleId, permission }));
  if (rows.length > 0) await transaction.insertInto('role_permissions').values(rows).execute();
}

async function record(
  transaction: Transaction<Schema>,
  action: 'role.added' | 'role.updated' | 'role.removed',
  { roleId, accountId }: { readonly roleId: string; readonly accountId: string },
  before: Readonly<Record<string, unknown>> | undefined,
  after: Readonly<Record<string, unknown>> | undefined,
  context: ChangeContext,
): Promise<void> {
  const targets = [{ type: 'role', id: roleId } as const];
  const change = { subject: 'role', subjectId: roleId, accountId, action, targets, before, after } as const;
  const version = await recordAudited(transaction, change, context);
  await transaction
    .updateTable('roles')
    .set({ version, updated_at_ms: context.nowMs })
    .where('role_id', '=', roleId)
    .execute();
}

function contentOf({ name, summary = '', permissions }: NewRole): Record<string, unknown> {
  return { name, summary, permissions: [...new Set(permissions)].toSorted() };
}

async function withPermissions(
  database: Database,
  rows: readonly Selectable<RolesTable>[],
): Promise<FullRole[]> {
  if (rows.length === 0) return [];
  const roleIds = rows.map((row) => row.role_id);
  const grants = await database
    .selectFrom('role_permissions')
    .select(['role_id', 'permission'])
    .where('role_id', 'in', roleIds)
    .execute();
  const storedById = Map.groupBy(grants, (grant) => grant.role_id);
  return rows.map((row) => {
    const stored = (storedById.get(row.role_id) ?? []).map((grant) => grant.permission);
    return {
      roleId: row.role_id,
      accountId: row.account_id ?? undefined,
      name: row.name,
      summary: row.summary,
      holders: row.holders,
      permissions:
        row.account_id === null
          ? []
          : stored.filter((name) => canBePermissionOf(row.holders, name)).toSorted(),
      createdAtMs: row.created_at_ms,
      updatedAtMs: row.updated_at_ms,
      version: row.version,
    };
  });
}
