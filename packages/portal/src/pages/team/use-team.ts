import { leadingRole, type Member, type MemberRole, memberRolesOf } from '@countersign/contract';
import { usePagedQuery } from '../../api/queries.ts';
import { useSession } from '../../session/session-context.ts';

/** The members that are shown, and what holds for all of them. */
export interface Team {
  readonly query: ReturnType<typeof usePagedQuery<'listMembers'>>;
  readonly members: readonly Member[] | undefined;
  /** How many have the leading role; counted only when all members are loaded. */
  readonly leaders: number | undefined;
}

/** The members of the account. */
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

/** The roles that somebody may give in the account: the leading one only who has it, or who acts for a customer. */
export function useGrantableRoles(): readonly MemberRole[] {
  const { account } = useSession();
  if (account === undefined) return [];
  const leading = leadingRole(account);
  const mayLead = account.role === leading || account.acting !== undefined;
  return memberRolesOf(account).filter((role) => mayLead || role !== leading);
}

/** Why a member cannot be changed or removed by the person; undefined when nothing stands against it. */
export type MemberLock = 'leading-only' | 'last-leader';

/** What stands against changing a member. The service decides; here it is said before somebody tries. */
export function memberLock(
  member: Member,
  { isLeader, isOperator, leaders }: { isLeader: boolean; isOperator: boolean; leaders: number | undefined },
): MemberLock | undefined {
  if (member.role !== leadingRole({ isOperator })) return undefined;
  if (!isLeader) return 'leading-only';
  return leaders === 1 ? 'last-leader' : undefined;
}
