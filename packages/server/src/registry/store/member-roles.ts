import {
  countsIn,
  type DeploymentPermissions,
  isId,
  isMemberRole,
  memberRoles,
  memberRolesOf,
  type Permission,
  permissionsOfRole,
} from '@countersign/contract';
import type { Database } from '../../storage/transaction.ts';
import { isKnown } from './roles.ts';

/** A role that people can have in an account: a built-in one, or one of the account's own. */
export interface HeldRole {
  /** As members and invitations store it: the name of a built-in role, or the ID of one of the account's own. */
  readonly role: string;
  readonly name: string;
  readonly isOwn: boolean;
  /** The ones that count in this account and that the deployment knows. */
  readonly permissions: ReadonlySet<Permission>;
}

/** An account whose roles are read. */
export interface RoleAccount {
  readonly accountId: string;
  readonly isOperator: boolean;
}

/**
 * Reads the roles that people can have in an account, by what members store: the built-in ones, most powerful first, then the
 * account's own.
 *
 * @param added the permissions that the deployment adds
 */
export async function readMemberRoles(
  database: Database,
  account: RoleAccount,
  added: DeploymentPermissions,
): Promise<ReadonlyMap<string, HeldRole>> {
  const own = await readOwnRoles(database, account, added);
  const all = [...memberRolesOf(account).map((name) => builtIn(name, added)), ...own];
  return new Map(all.map((role) => [role.role, role]));
}

/**
 * Reads one of the roles that people can have in an account. Costs no query for a built-in one.
 *
 * @param role as a member stores it
 * @param added the permissions that the deployment adds
 * @returns undefined if people in this account can't have it: it grants nothing
 */
export async function readMemberRole(
  database: Database,
  account: RoleAccount,
  role: string,
  added: DeploymentPermissions,
): Promise<HeldRole | undefined> {
  if (isMemberRole(role)) return memberRolesOf(account).includes(role) ? builtIn(role, added) : undefined;
  if (!isId('role', role)) return undefined;
  const [own] = await readOwnRoles(database, account, added, role);
  return own;
}

function builtIn(name: keyof typeof memberRoles, added: DeploymentPermissions): HeldRole {
  const permissions = new Set(permissionsOfRole(memberRoles[name], added));
  return { role: name, name, isOwn: false, permissions };
}

async function readOwnRoles(
  database: Database,
  account: RoleAccount,
  added: DeploymentPermissions,
  roleId?: string,
): Promise<HeldRole[]> {
  let query = database
    .selectFrom('roles')
    .leftJoin('role_permissions', 'role_permissions.role_id', 'roles.role_id')
    .select(['roles.role_id', 'roles.name', 'role_permissions.permission'])
    .where('roles.account_id', '=', account.accountId)
    .where('roles.holders', '=', 'members')
    .orderBy('roles.name');
  if (roleId !== undefined) query = query.where('roles.role_id', '=', roleId);
  const rows = await query.execute();
  return [...Map.groupBy(rows, (row) => row.role_id)].map(([role, [first, ...more]]) => {
    const stored = [first!, ...more].flatMap(({ permission }) => permission ?? []);
    const counted = stored
      .filter((name): name is Permission => isKnown(name, 'members', added))
      .filter((name) => countsIn(account, name));
    return { role, name: first!.name, isOwn: true, permissions: new Set(counted) };
  });
}

/**
 * Returns true if people with this role can change anything, and so may approve changes of others. Whoever could give such a role
 * to a second account of their own could approve their own changes.
 */
export function canChangeAnything({ permissions }: HeldRole): boolean {
  return [...permissions].some((permission) => !permission.endsWith(':read'));
}

/** Returns true if people with this role can approve every change, the policy's included. */
export function canApproveEverything({ permissions }: Pick<HeldRole, 'permissions'>): boolean {
  return approving.every((permission) => permissions.has(permission));
}

/** The permissions of the changes that can wait for a second person. */
const approving: readonly Permission[] = [
  'clients:write',
  'keys:write',
  'roles:write',
  'members:write',
  'policy:write',
];

/** Returns what an own role contains, for a second person: what it grants may change before they decide. */
export function contentOfOwn(role: HeldRole): { readonly permissions?: readonly Permission[] } {
  return role.isOwn ? { permissions: [...role.permissions].toSorted() } : {};
}
