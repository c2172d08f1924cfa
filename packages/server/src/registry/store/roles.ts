import {
  builtInRoles,
  type DeploymentPermissions,
  isBuiltInRole,
  isClientPermission,
  isPermission,
  type Permission,
  permissionsOfRole,
  type RoleHolders,
} from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';

/** A role of clients: a named set of permissions. */
export interface RoleRecord {
  readonly roleId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

/** The role that exists only in the operator's account. */
export const operatorRole = 'operator';

/**
 * Looks up the ids of roles of clients by name, among built-in roles and the account's own.
 *
 * @throws RegistryError `role_unknown`, with the names that exist
 */
export async function roleIdsByName(
  database: Database,
  account: { readonly accountId: string; readonly isOperator: boolean },
  names: readonly string[],
): Promise<readonly string[]> {
  const rows = await database
    .selectFrom('roles')
    .select(['role_id', 'name'])
    .where('holders', '=', 'clients')
    .where((column) =>
      column.or([column('account_id', 'is', null), column('account_id', '=', account.accountId)]),
    )
    .orderBy('name')
    .execute();
  const known = rows.filter(({ role_id: roleId }) => account.isOperator || roleId !== operatorRole);
  const idByName = new Map(known.map((row) => [row.name, row.role_id]));
  const shown = [...idByName.keys()].slice(0, namesShownMax).join(', ');
  const others = idByName.size > namesShownMax ? ` and ${idByName.size - namesShownMax} others` : '';
  return [...new Set(names)].map((name) => {
    const roleId = idByName.get(name);
    if (roleId !== undefined) return roleId;
    const member = ['roles', names.indexOf(name)];
    throw new RegistryError('role_unknown', `Choose roles that exist: ${shown}${others}.`, {
      member,
    });
  });
}

/** Limits the message, because an account may have very many roles. */
const namesShownMax = 50;

/** Replaces a client's roles. */
export async function writeRoles(
  transaction: Transaction<Schema>,
  clientId: string,
  roleIds: readonly string[],
): Promise<void> {
  await transaction.deleteFrom('client_roles').where('client_id', '=', clientId).execute();
  if (roleIds.length === 0) return;
  const rows = roleIds.map((roleId) => ({ client_id: clientId, role_id: roleId }));
  await transaction.insertInto('client_roles').values(rows).execute();
}

/** Reads every role of clients with its effective permissions. */
export async function readRoles(
  database: Database,
  added: DeploymentPermissions,
): Promise<ReadonlyMap<string, RoleRecord>> {
  const roles = await database
    .selectFrom('roles')
    .select(['role_id', 'account_id', 'name'])
    .where('holders', '=', 'clients')
    .execute();
  const grants = await database.selectFrom('role_permissions').select(['role_id', 'permission']).execute();
  const storedById = Map.groupBy(grants, (grant) => grant.role_id);
  return new Map(
    roles.map(({ role_id: roleId, account_id: accountId, name }): [string, RoleRecord] => {
      const stored = (storedById.get(roleId) ?? []).map((grant) => grant.permission);
      return [roleId, { roleId, name, permissions: permissionsOf(roleId, accountId, stored, added) }];
    }),
  );
}

/** Returns the combined permissions of several roles of clients. A role of members grants a client nothing. */
export async function permissionsOfRoles(
  database: Database,
  roleIds: readonly string[],
  added: DeploymentPermissions,
): Promise<ReadonlySet<Permission>> {
  if (roleIds.length === 0) return new Set();
  const rows = await database
    .selectFrom('roles')
    .leftJoin('role_permissions', 'role_permissions.role_id', 'roles.role_id')
    .select(['roles.role_id', 'roles.account_id', 'role_permissions.permission'])
    .where('roles.role_id', 'in', roleIds)
    .where('roles.holders', '=', 'clients')
    .execute();
  return new Set(
    rows.flatMap((row) =>
      permissionsOf(row.role_id, row.account_id, row.permission === null ? [] : [row.permission], added),
    ),
  );
}

/**
 * Returns a role's effective permissions. The contract defines those of built-in roles. A stored name counts if
 * clients can have it and the deployment knows it.
 *
 * @param added the permissions that the deployment adds
 */
function permissionsOf(
  roleId: string,
  accountId: string | null,
  stored: readonly string[],
  added: DeploymentPermissions,
): readonly Permission[] {
  if (accountId !== null) return stored.filter((name): name is Permission => isKnown(name, 'clients', added));
  return isBuiltInRole(roleId) ? permissionsOfRole(builtInRoles[roleId], added) : [];
}

/**
 * Returns the permissions that some roles add to those of others. Counts stored permissions that the deployment does not know
 * yet, and in a deployment whose permissions are not known here, such as on the command line, the names of the roles that would
 * have them.
 */
export async function permissionsAdded(
  database: Database,
  before: readonly string[],
  after: readonly string[],
  added: DeploymentPermissions | undefined,
): Promise<readonly string[]> {
  const held = new Set(await everyPermission(database, before, added));
  const next = await everyPermission(database, after, added);
  return [...new Set(next)].filter((permission) => !held.has(permission)).toSorted();
}

async function everyPermission(
  database: Database,
  roleIds: readonly string[],
  added: DeploymentPermissions | undefined,
): Promise<readonly string[]> {
  if (roleIds.length === 0) return [];
  const rows = await database
    .selectFrom('role_permissions')
    .select('permission')
    .where('role_id', 'in', roleIds)
    .execute();
  const ofContract = roleIds.filter(isBuiltInRole).flatMap((roleId) => {
    const role = builtInRoles[roleId];
    const unknown = added === undefined && role.includesDeployment !== undefined ? [roleId] : [];
    return [...permissionsOfRole(role, added ?? {}), ...unknown];
  });
  return [...rows.map(({ permission }) => permission), ...ofContract];
}

/** Returns true if a role for these holders can have the permission in this deployment. */
export function isKnown(name: string, holders: RoleHolders, added: DeploymentPermissions): boolean {
  const isOwn = holders === 'members' ? isPermission(name) : isClientPermission(name);
  return isOwn || Object.hasOwn(added, name);
}

/**
 * Enforces the ceiling: no caller can grant a permission that it does not hold.
 *
 * @throws RegistryError `permission_not_held`, with the missing permissions
 */
export function checkGrant(granted: Iterable<Permission>, grantable: ReadonlySet<Permission>): void {
  const missing = [...new Set(granted)].filter((permission) => !grantable.has(permission)).toSorted();
  if (missing.length === 0) return;
  throw new RegistryError(
    'permission_not_held',
    `It would grant permissions that you do not have: ${missing.join(', ')}.`,
  );
}
