import { leadingRole, type Member, type MemberRole, memberRolesOf } from '@countersign/contract';
import { usePagedQuery } from '../../api/queries.ts';
import { useSession } from '../../session/session-context.ts';

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

/**
 * Returns the roles the person may grant. Only leaders, and operators acting for a customer, may grant the leading one.
 */
export function useGrantableRoles(): readonly MemberRole[] {
  const { account } = useSession();
  if (account === undefined) return [];
  const leading = leadingRole(account);
  const mayLead = account.role === leading || account.acting !== undefined;
  return memberRolesOf(account).filter((role) => mayLead || role !== leading);
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
