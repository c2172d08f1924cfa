import {
  isBuiltInRole,
  isClientPermission,
  isId,
  type Page,
  pageLimits,
  type PermissionEntry,
  permissions,
  builtInRoles,
  type Role,
  roleChangeSchema,
  roleListParameters,
  roleRequestSchema,
} from '@countersign/contract';
import {
  addRole,
  type FullRole,
  listBuiltInRoles,
  listRoles as readRoles,
  readAccount,
  readRole,
  removeRole as deleteRole,
  updateRole,
} from '../../registry/store.ts';
import { entityTag } from '../entity-tag.ts';
import { readCursor, writeCursor } from '../page.ts';
import { refuseBody } from '../request-body.ts';
import { readQuery, readQueryAs } from '../request-query.ts';
import { type Answer, ProblemError } from '@countersign/gate';
import type { ApiRequest, Handler } from '../handler.ts';
import { changeContext, listedAccount, readableAccount } from './caller-scope.ts';
import { timestamp } from './key-view.ts';
import { readManagementBody } from './management-body.ts';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/roles`: the built-in ones first, then the account's own in the order of their ids. */
export function listRoles({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    const query = readQueryAs(request.query, roleListParameters);
    const { accountId, isOperator } = await accountOf(request, query.accountId, database);
    const after = readCursor(query.cursor, isRoleId);
    const limit = query.limit ?? pageLimits.limitDefault;
    const isAfterBuiltIn = after !== undefined && !isBuiltInRole(after);
    const builtIn = isAfterBuiltIn
      ? []
      : (await listBuiltInRoles(database, isOperator)).filter(
          ({ roleId }) => after === undefined || roleId > after,
        );
    const afterRoleId = isAfterBuiltIn ? after : undefined;
    const own = await readRoles(database, { accountId, afterRoleId, limit: limit + 1 });
    const found = [...builtIn, ...own];
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const body: Page<Role> = {
      data: page.map(showRole),
      nextCursor: last === undefined ? null : writeCursor(last.roleId),
    };
    return { status: 200, body };
  };
}

/** `POST /v1/roles` */
export function createRole(parts: ManagementParts): Handler {
  return (request) => {
    readQuery(request.query, []);
    const role = readManagementBody(request, roleRequestSchema);
    const context = changeContext(request, parts);
    return parts.idempotency.run(request, async (transaction) =>
      roleAnswer(await addRole(transaction, request.caller.accountId, role, context), 201),
    );
  };
}

/** `GET /v1/roles/{roleId}` */
export function getRole({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    return roleAnswer(await readRole(database, roleIdOf(request), readableAccount(request)));
  };
}

/** `PATCH /v1/roles/{roleId}` */
export function changeRole(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const change = readManagementBody(request, roleChangeSchema);
    const context = changeContext(request, parts);
    return roleAnswer(await updateRole(parts.database, roleIdOf(request), change, context));
  };
}

/** `DELETE /v1/roles/{roleId}`: answers with the role as it was. */
export function removeRole(parts: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const context = changeContext(request, parts);
    const role = await deleteRole(parts.database, roleIdOf(request), context);
    return { status: 200, body: showRole(role) };
  };
}

/** `GET /v1/permissions`: all that a role of clients can have, sorted by name. */
export const listPermissions: Handler = (request) => {
  refuseBody(request);
  readQuery(request.query, []);
  const held = request.caller.permissions;
  const names = Object.keys(permissions).filter(isClientPermission).toSorted();
  const body: Page<PermissionEntry> = {
    data: names.map((name) => ({ name, summary: permissions[name].summary, isHeld: held.has(name) })),
    nextCursor: null,
  };
  return { status: 200, body };
};

async function accountOf(
  request: ApiRequest,
  accountId: string | undefined,
  database: ManagementParts['database'],
): Promise<{ accountId: string; isOperator: boolean }> {
  return readAccount(database, await listedAccount(request, accountId, database));
}

function isRoleId(text: string): boolean {
  return isBuiltInRole(text) || isId('role', text);
}

function roleIdOf({ parameters }: ApiRequest): string {
  const roleId = parameters['roleId'] ?? '';
  if (!isRoleId(roleId)) throw new ProblemError('not_found');
  return roleId;
}

function roleAnswer(role: FullRole, status: 200 | 201 = 200): Answer {
  const location = { Location: `/v1/roles/${role.roleId}` };
  return {
    status,
    headers: { ETag: entityTag(role.version), ...(status === 201 && location) },
    body: showRole(role),
  };
}

function showRole(role: FullRole): Role {
  const { roleId, name, accountId, permissions: granted } = role;
  const isBuiltIn = accountId === undefined;
  return {
    roleId,
    name,
    isBuiltIn,
    summary: isBuiltInRole(roleId) ? builtInRoles[roleId].summary : role.summary,
    permissions: granted,
    ...(!isBuiltIn && { createdAt: timestamp(role.createdAtMs), updatedAt: timestamp(role.updatedAtMs) }),
  };
}
