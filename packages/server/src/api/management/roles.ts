import {
  builtInRoles,
  type DeploymentPermissions,
  isBuiltInRole,
  isId,
  pageLimits,
  permissionsFor,
  permissionsOfRole,
  type Role,
} from '@countersign/contract';
import { type Answer, ProblemError } from '@countersign/gate';
import { readAccount } from '../../registry/store/accounts.ts';
import {
  addRole,
  type FullRole,
  listBuiltInRoles,
  listRoles,
  readRole,
  removeRole,
} from '../../registry/store/role-changes.ts';
import { changeRole } from '../../people/members/own-roles.ts';
import { listedAccount, readableAccount } from '../caller-scope.ts';
import { entityTag } from '../entity-tag.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { pageOf, readCursor } from '../page.ts';
import { timestamp } from '../timestamp.ts';

export const roleHandlers = defineHandlers(({ database, change, addedPermissions: added = {} }) => ({
  /** The built-in roles of clients first, then the account's own, sorted by ID. */
  listRoles: async ({ query }, request) => {
    const { accountId, isOperator } = await readAccount(
      database,
      await listedAccount(request, query.accountId, database),
    );
    const { holders = 'clients' } = query;
    const after = readCursor(query.cursor, isRoleId);
    const limit = query.limit ?? pageLimits.limitDefault;
    const isAfterBuiltIn = after !== undefined && !isBuiltInRole(after);
    const builtIn =
      isAfterBuiltIn || holders === 'members'
        ? []
        : (await listBuiltInRoles(database, isOperator)).filter(
            ({ roleId }) => after === undefined || roleId > after,
          );
    const afterRoleId = isAfterBuiltIn ? after : undefined;
    const own = await listRoles(database, { accountId, holders, afterRoleId, limit: limit + 1 });
    return {
      status: 200,
      body: pageOf(
        [...builtIn, ...own],
        limit,
        ({ roleId }) => roleId,
        (role) => showRole(role, added),
      ),
    };
  },

  addRole: ({ body }, request) =>
    change(request, async (transaction, context) =>
      roleAnswer(await addRole(transaction, request.caller.accountId, body, context), added, 201),
    ),

  getRole: async (_input, request) =>
    roleAnswer(await readRole(database, roleIdOf(request), readableAccount(request)), added),

  updateRole: ({ body }, request) =>
    change(request, async (transaction, context) =>
      roleAnswer(await changeRole(transaction, roleIdOf(request), body, context), added),
    ),

  /** Responds with the role as it was. */
  removeRole: (_input, request) =>
    change(request, async (transaction, context) => ({
      status: 200,
      body: showRole(await removeRole(transaction, roleIdOf(request), context), added),
    })),

  /** Every permission that a role can have, sorted by name. */
  listPermissions: ({ query: { holders = 'clients' } }, { caller }) => {
    const data = permissionsFor(holders, added)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map((permission) => ({ ...permission, isHeld: caller.permissions.has(permission.name) }));
    return { status: 200, body: { data, nextCursor: null } };
  },
}));

function isRoleId(text: string): boolean {
  return isBuiltInRole(text) || isId('role', text);
}

function roleIdOf({ parameters }: ApiRequest): string {
  const roleId = parameters['roleId'] ?? '';
  if (!isRoleId(roleId)) throw new ProblemError('not_found');
  return roleId;
}

function roleAnswer(role: FullRole, added: DeploymentPermissions, status: 200 | 201 = 200): Answer<Role> {
  const location = { Location: `/v1/roles/${role.roleId}` };
  return {
    status,
    headers: { ETag: entityTag(role.version), ...(status === 201 && location) },
    body: showRole(role, added),
  };
}

function showRole(role: FullRole, added: DeploymentPermissions): Role {
  const { roleId, name } = role;
  if (isBuiltInRole(roleId)) {
    const { summary } = builtInRoles[roleId];
    const permissions = permissionsOfRole(builtInRoles[roleId], added).toSorted();
    return { roleId, name, isBuiltIn: true, summary, holders: 'clients', permissions };
  }
  const known = new Set(permissionsFor(role.holders, added).map((permission) => permission.name));
  const unknown = role.permissions.filter((permission) => !known.has(permission));
  return {
    roleId,
    name,
    isBuiltIn: false,
    summary: role.summary,
    holders: role.holders,
    permissions: role.permissions,
    ...(unknown.length > 0 && { unknownPermissions: unknown }),
    createdAt: timestamp(role.createdAtMs),
    updatedAt: timestamp(role.updatedAtMs),
  };
}
