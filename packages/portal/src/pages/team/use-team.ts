import {
  isPermission,
  leadingRole,
  type Member,
  memberRoles,
  memberRolesOf,
  type Permission,
  type Role,
} from '@countersign/contract';
import { usePagedQuery } from '../../api/queries.ts';
import { team as t } from '#messages/team.ts';
import { usePermission, useSession } from '../../session/session-context.ts';
import { useAllRoles } from '../roles/use-all-roles.ts';

export interface Team {
  readonly query: ReturnType<typeof usePagedQuery<'listMembers'>>;
  readonly members: readonly Member[] | undefined;
  /** The number of members with the leading role, once all members are loaded. */
  readonly leaders: number | undefined;
}

export function useTeam(): Team {
  const { account } = useSession();
  const query = usePagedQuery('listMembers', { query: { limit: 100 } });
  const members = query.data?.pages.flatMap((page) => page.data);
  const leading = leadingRole({ isOperator: account?.isOperator ?? false });
  const leaders =
    members === undefined || query.hasNextPage
      ? undefined
      : members.filter(({ role }) => role === leading).length;
  return { query, members, leaders };
}

export function useInvitations(): ReturnType<typeof usePagedQuery<'listInvitations'>> {
  return usePagedQuery('listInvitations', { query: { limit: 100 } });
}

/** A role to choose for a member. */
export interface MemberRoleChoice {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
}

/**
 * Returns the roles the person may grant: those without a permission that they don't have. Only leaders, and operators
 * acting for a customer, may grant the leading one. The service decides.
 */
export function useGrantableRoles(): readonly MemberRoleChoice[] {
  const { account } = useSession();
  const own = useOwnMemberRoles();
  if (account === undefined) return [];
  const leading = leadingRole(account);
  const mayLead = account.role === leading || account.acting !== undefined;
  // The session doesn't name the permissions that the deployment adds.
  const isHeld = (name: Permission): boolean => !isPermission(name) || account.permissions.includes(name);
  const builtIn = memberRolesOf(account)
    .filter((role) => mayLead || role !== leading)
    .filter((role) => memberRoles[role].permissions.every(isHeld))
    .map((name) => ({ name, title: t.roleNames[name], summary: t.roleSummaries[name] }));
  return [...builtIn, ...own.filter(({ permissions }) => permissions.every(isHeld)).map(choiceOf)];
}

function choiceOf({ name, summary }: Role): MemberRoleChoice {
  return { name, title: name, summary };
}

/** Returns the account's own roles for members; none until they are loaded, or if the person may not see roles. */
export function useOwnMemberRoles(): readonly Role[] {
  const maySee = usePermission('roles:read');
  return useAllRoles('members', maySee).data ?? [];
}

export type MemberLock = 'leading-only' | 'last-leader';

/** Returns why a member cannot be changed, before the person tries. The service decides. */
export function memberLock(
  member: Member,
  { isLeader, isOperator, leaders }: { isLeader: boolean; isOperator: boolean; leaders: number | undefined },
): MemberLock | undefined {
  if (member.role !== leadingRole({ isOperator })) return undefined;
  if (!isLeader) return 'leading-only';
  return leaders === 1 ? 'last-leader' : undefined;
}
