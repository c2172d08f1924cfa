import {
  type AccountStatus,
  type Address,
  countsInStatus,
  type DeploymentPermissions,
  memberRoles,
  type Permission,
  permissionsOfRole,
} from '@countersign/contract';
import type { Database } from '../../storage/transaction.ts';
import { readMemberRole, type RoleAccount } from './member-roles.ts';
import { isAllowedFrom, readPortalNetworks } from './portal-networks.ts';

/** A person's access to an account, either as its member or temporarily on behalf of the operator. */
export interface AccountAccess {
  readonly accountId: string;
  readonly isOperator: boolean;
  /**
   * The name of a built-in role, or the ID of one of the account's own. A person acting for the account has the
   * admin role.
   */
  readonly role: string;
  readonly permissions: ReadonlySet<Permission>;
  /** The reason why the person acts for the account; undefined for a member. */
  readonly actingReason: string | undefined;
  /** The account's requirements for everyone who works in it. */
  readonly policy: AccessPolicy;
  /**
   * Returns true if the person may use the account from an address. For a member, the account's networks count; for
   * someone who acts for it, those of the operator's account.
   */
  readonly isAllowedFrom: (address: Address | undefined) => boolean;
}

/** An account's requirements for sessions. */
export interface AccessPolicy {
  readonly isSecondFactorRequired: boolean;
  /** Hours after signing in; undefined if the account has no limit of its own. */
  readonly sessionHoursMax: number | undefined;
}

export interface AccessRequest {
  readonly userId: string;
  /** Undefined for a change that was approved after it was requested, whose session may have ended. */
  readonly sessionId: string | undefined;
  /** Only without a session: the reason why the person acted for the account. */
  readonly actingReason?: string | undefined;
  readonly accountId: string;
}

/**
 * Reads a person's current access to an account; undefined if they have none or the account does not exist. A role
 * that this kind of account does not have grants nothing.
 *
 * @param added the permissions that the deployment adds
 */
export async function readAccess(
  database: Database,
  { userId, sessionId, accountId, actingReason: earlierReason }: AccessRequest,
  nowMs: number,
  added: DeploymentPermissions,
): Promise<AccountAccess | undefined> {
  const row = await database
    .selectFrom('accounts')
    .leftJoin('members', (join) =>
      join.onRef('members.account_id', '=', 'accounts.account_id').on('members.user_id', '=', userId),
    )
    .leftJoin('security_policies', 'security_policies.account_id', 'accounts.account_id')
    .select([
      'accounts.is_operator',
      'accounts.status',
      'members.role',
      'is_second_factor_required',
      'session_hours_max',
      'portal_networks',
    ])
    .where('accounts.account_id', '=', accountId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const isOperator = row.is_operator === 1;
  const policy = {
    isSecondFactorRequired: row.is_second_factor_required === 1,
    sessionHoursMax: row.session_hours_max ?? undefined,
  };
  if (row.role !== null) {
    const role = await readMemberRole(database, { accountId, isOperator }, row.role, added);
    if (role === undefined) return undefined;
    const networks = readPortalNetworks(row.portal_networks);
    return {
      accountId,
      isOperator,
      role: row.role,
      permissions: permissionsIn(row.status, role.permissions),
      actingReason: undefined,
      policy,
      isAllowedFrom: (address) => isAllowedFrom(networks, address),
    };
  }
  if (isOperator) return undefined;
  const acting = await readActing(
    database,
    { userId, sessionId, accountId, actingReason: earlierReason },
    nowMs,
  );
  if (acting === undefined) return undefined;
  // The operator's people can still help a suspended customer.
  const status = row.status === 'suspended' ? 'active' : row.status;
  const permissions = permissionsIn(status, new Set(permissionsOfRole(memberRoles.admin, added)));
  return { accountId, isOperator, role: 'admin', permissions, policy, ...acting };
}

/**
 * Returns the permissions that count in an account's status: people can only read in an account that is not
 * active.
 */
function permissionsIn(status: AccountStatus, permissions: ReadonlySet<Permission>): ReadonlySet<Permission> {
  return new Set([...permissions].filter((permission) => countsInStatus(status, permission)));
}

/**
 * Returns the reason why a person acts for an account, and from where they may; undefined if they don't, or may no longer do so.
 * Without a session, the reason is the one that they gave when they asked for a change.
 */
async function readActing(
  database: Database,
  { userId, sessionId, accountId, actingReason: earlierReason }: AccessRequest,
  nowMs: number,
): Promise<Pick<AccountAccess, 'actingReason' | 'isAllowedFrom'> | undefined> {
  const actingReason =
    sessionId === undefined
      ? earlierReason
      : await readActingReason(database, { userId, sessionId, accountId }, nowMs);
  if (actingReason === undefined) return undefined;
  const memberships = await database
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.account_id', 'members.account_id')
    .leftJoin('security_policies', 'security_policies.account_id', 'accounts.account_id')
    .select(['members.account_id', 'members.role', 'portal_networks'])
    .where('members.user_id', '=', userId)
    .where('accounts.is_operator', '=', 1)
    .execute();
  const permitting: typeof memberships = [];
  for (const membership of memberships) {
    const account = { accountId: membership.account_id, isOperator: true };
    if (await mayAct(database, account, membership.role)) permitting.push(membership);
  }
  if (permitting.length === 0) return undefined;
  return {
    actingReason,
    isAllowedFrom: (address) =>
      permitting.some((one) => isAllowedFrom(readPortalNetworks(one.portal_networks), address)),
  };
}

/** Returns the reason why a session is acting for an account; undefined if it isn't. */
async function readActingReason(
  database: Database,
  { userId, sessionId, accountId }: AccessRequest & { readonly sessionId: string },
  nowMs: number,
): Promise<string | undefined> {
  const acting = await database
    .selectFrom('acting_sessions')
    .innerJoin('person_sessions', 'person_sessions.session_id', 'acting_sessions.session_id')
    .select('acting_sessions.reason')
    .where('acting_sessions.session_id', '=', sessionId)
    .where('person_sessions.user_id', '=', userId)
    .where('acting_sessions.account_id', '=', accountId)
    .where('ends_at_ms', '>', nowMs)
    .executeTakeFirst();
  return acting?.reason;
}

/** Returns true if people with this role in the operator's account may act for customers. */
async function mayAct(database: Database, account: RoleAccount, role: string): Promise<boolean> {
  return (await readMemberRole(database, account, role, {}))?.permissions.has('accounts:act') === true;
}
