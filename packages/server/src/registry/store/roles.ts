import { builtInRoles, isBuiltInRole, isPermission, type Permission } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';

/** A role: a name for a set of permissions. */
export interface RoleRecord {
  readonly roleId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

/**
 * Finds the ids of roles by name: built-in roles, and the account's own.
 *
 * @throws RegistryError `role_unknown`, with the names that exist
 */
export async function roleIdsByName(
  database: Database,
  accountId: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const rows = await database
    .selectFrom('roles')
    .select(['role_id', 'name'])
    .where((column) => column.or([column('account_id', 'is', null), column('account_id', '=', accountId)]))
    .orderBy('name')
    .execute();
  const idByName = new Map(rows.map((row) => [row.name, row.role_id]));
  return [...new Set(names)].map((name) => {
    const roleId = idByName.get(name);
    if (roleId !== undefined) return roleId;
    throw new RegistryError('role_unknown', `Give roles that exist: ${[...idByName.keys()].join(', ')}.`);
  });
}

/** Replaces the roles of a client. */
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

/**
 * Every role with its permissions. What a built-in role permits is decided by the contract; what storage says beyond
 * the permissions that are known here counts for nothing.
 */
export async function readRoles(database: Database): Promise<ReadonlyMap<string, RoleRecord>> {
  const roles = await database.selectFrom('roles').select(['role_id', 'account_id', 'name']).execute();
  const grants = await database.selectFrom('role_permissions').select(['role_id', 'permission']).execute();
  const permissionsById = Map.groupBy(grants, (grant) => grant.role_id);
  return new Map(
    roles.map(({ role_id: roleId, account_id: accountId, name }): [string, RoleRecord] => {
      const stored = (permissionsById.get(roleId) ?? [])
        .map((grant) => grant.permission)
        .filter(isPermission);
      const builtIn = isBuiltInRole(roleId) ? builtInRoles[roleId].permissions : [];
      return [roleId, { roleId, name, permissions: accountId === null ? builtIn : stored }];
    }),
  );
}
