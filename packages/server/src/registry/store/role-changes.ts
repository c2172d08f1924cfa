import {
  canBeClientPermission,
  countsIn,
  isBuiltInRole,
  newId,
  type Permission,
} from '@countersign/contract';
import type { Selectable, Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { RolesTable } from '../tables.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { readAccount } from './accounts.ts';
import { difference, recordAudited } from './audit.ts';
import { changeFor } from './caller.ts';
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
  readonly permissions: readonly Permission[];
}

/** Lists an account's roles: built-in roles first, then custom roles in id order. */
export async function listRoles(
  database: Database,
  page: { readonly accountId: string; readonly afterRoleId?: string | undefined; readonly limit: number },
): Promise<FullRole[]> {
  let query = database.selectFrom('roles').selectAll().where('account_id', '=', page.accountId);
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
 * @throws RegistryError `account_unknown`, `role_name_taken`, `permission_not_held`, `role_permission_invalid`
 */
export async function addRole(
  database: Database,
  accountId: string,
  role: NewRole,
  initialContext: ChangeContext,
): Promise<FullRole> {
  return changeFor(database, initialContext, async (transaction, context) => {
    await checkPermissions(transaction, accountId, role.permissions, [], context);
    await checkNameFree(transaction, accountId, role.name);
    const roleId = newId('role', context.nowMs);
    const { name, summary = '', permissions } = role;
    const times = { created_at_ms: context.nowMs, updated_at_ms: context.nowMs };
    await transaction
      .insertInto('roles')
      .values({ role_id: roleId, account_id: accountId, name, summary, ...times })
      .execute();
    await writePermissions(transaction, roleId, permissions);
    await record(transaction, 'role.added', { roleId, accountId }, undefined, contentOf(role), context);
    return readRole(transaction, roleId, undefined);
  });
}

/**
 * Changes a custom role for all clients that have it. Existing permissions may stay; the caller must hold every new
 * one.
 *
 * @throws RegistryError `role_not_found`, `role_built_in`, `version_changed`, `role_name_taken`,
 *   `permission_not_held`, `role_permission_invalid`
 */
export async function updateRole(
  database: Database,
  roleId: string,
  change: { readonly [Member in keyof NewRole]?: NewRole[Member] | undefined },
  initialContext: ChangeContext,
): Promise<FullRole> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const role = await readOwnRole(transaction, roleId, context);
    const { name = role.name, summary = role.summary, permissions = role.permissions } = change;
    const next = { name, summary, permissions: [...new Set(permissions)].toSorted() };
    const differs = difference(contentOf(role), contentOf(next));
    if (differs === undefined) return role;
    await checkPermissions(transaction, role.accountId, permissions, role.permissions, context);
    if (name !== role.name) await checkNameFree(transaction, role.accountId, name);
    const grants = next.permissions.filter((permission) => !role.permissions.includes(permission));
    if (grants.length > 0) {
      const { accountId } = role;
      const target = { type: 'role', id: roleId, name: role.name } as const;
      await requireSecondPerson(transaction, { accountId, target, ...differs, grants }, context);
    }
    await transaction.updateTable('roles').set({ name, summary }).where('role_id', '=', roleId).execute();
    await writePermissions(transaction, roleId, next.permissions);
    await record(transaction, 'role.updated', role, differs.before, differs.after, context);
    return readRole(transaction, roleId, undefined);
  });
}

/**
 * Removes a custom role that no client has.
 *
 * @returns the removed role
 * @throws RegistryError `role_not_found`, `role_built_in`, `version_changed`, `role_in_use`
 */
export async function removeRole(
  database: Database,
  roleId: string,
  initialContext: ChangeContext,
): Promise<FullRole> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const role = await readOwnRole(transaction, roleId, context);
    const user = await transaction
      .selectFrom('client_roles')
      .select('client_id')
      .where('role_id', '=', roleId)
      .executeTakeFirst();
    if (user !== undefined) {
      throw new RegistryError(
        'role_in_use',
        `Clients such as ${user.client_id} have this role: remove it from them first.`,
      );
    }
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
  checkVersion(role.version, context);
  return { ...role, accountId: role.accountId };
}

async function checkPermissions(
  transaction: Transaction<Schema>,
  accountId: string,
  permissions: readonly Permission[],
  before: readonly Permission[],
  { grantable, addedPermissions = {} }: ChangeContext,
): Promise<void> {
  const account = await readAccount(transaction, accountId);
  const added = permissions.filter((permission) => !before.includes(permission));
  for (const permission of added) {
    const member = ['permissions', permissions.indexOf(permission)];
    if (!isKnown(permission, addedPermissions)) {
      const advice = 'Write a permission that GET /v1/permissions lists.';
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
  name: string,
): Promise<void> {
  const own = await transaction
    .selectFrom('roles')
    .select('role_id')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (own !== undefined || isBuiltInRole(name))
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
      permissions: row.account_id === null ? [] : stored.filter(canBeClientPermission).toSorted(),
      createdAtMs: row.created_at_ms,
      updatedAtMs: row.updated_at_ms,
      version: row.version,
    };
  });
}
