import { leadingRole, type Member } from '@countersign/contract';
import { ActionIcon, Button, Menu, Text } from '@mantine/core';
import { Ellipsis, LogOut, UserCog, UserMinus, Users } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { memberRoleName } from '../../components/member-role-name.ts';
import { StatusBadge } from '../../components/notice.tsx';
import { useSortedRows } from '../../components/use-sorted-rows.ts';
import { LoadingLines, QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { components } from '#messages/components.ts';
import { team as t } from '#messages/team.ts';
import { usePermission, usePerson, useSession } from '../../session/session-context.ts';
import { ChangeRoleDialog, RemoveMemberDialog } from './member-dialogs.tsx';
import classes from './team.module.css';
import { memberLock, type MemberLock, useTeam } from './use-team.ts';

type Asked = { readonly what: 'role' | 'remove'; readonly member: Member };

export function MemberSection(): ReactElement {
  const { query, members, leaders } = useTeam();
  const [asked, setAsked] = useState<Asked>();
  const columns = useColumns(leaders, setAsked);
  const close = (): void => setAsked(undefined);
  const { rows, sort } = useSortedRows(members ?? [], sortValues);
  return (
    <Section
      title={t.members}
      description={members === undefined ? '\u00A0' : members.length > 0 && t.memberCount(members.length)}
      isFlush
      isPlain
    >
      <QueryState query={query} loading={<Loading />}>
        {() => (
          <>
            <DataTable
              label={t.members}
              columns={columns}
              rows={rows}
              rowKey={({ userId }) => userId}
              // Only part of the members could be sorted.
              sort={query.hasNextPage ? undefined : sort}
              empty={
                <EmptyState icon={Users} title={t.noneTitle}>
                  {t.noneText}
                </EmptyState>
              }
            />
            {query.hasNextPage && (
              <div className={classes['more']}>
                <Button
                  variant="default"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  {components.loadMore}
                </Button>
              </div>
            )}
          </>
        )}
      </QueryState>
      <ChangeRoleDialog member={asked?.what === 'role' ? asked.member : undefined} onClose={close} />
      <RemoveMemberDialog member={asked?.what === 'remove' ? asked.member : undefined} onClose={close} />
    </Section>
  );
}

const sortValues = {
  member: ({ name }: Member) => name,
  role: ({ role }: Member) => memberRoleName(t.roleNames, role),
  'last-seen': ({ lastSeenAt }: Member) => lastSeenAt,
};

function useColumns(
  leaders: number | undefined,
  onAsk: (asked: Asked) => void,
): readonly DataColumn<Member>[] {
  const me = usePerson();
  const { account } = useSession();
  const mayChange = usePermission('members:write');
  const isOperator = account?.isOperator ?? false;
  const isLeader = account?.role === leadingRole({ isOperator });
  return [
    {
      id: 'member',
      header: t.member,
      isRowHeader: true,
      cell: ({ name, email, userId }) => (
        <div className={classes['person']}>
          <span className={classes['initials']} aria-hidden>
            {initials(name)}
          </span>
          <div className={classes['names']}>
            <div>
              <bdi>{name}</bdi> {userId === me.userId && <span className={classes['you']}>({t.you})</span>}
            </div>
            <bdi className={classes['email']}>{email}</bdi>
          </div>
        </div>
      ),
    },
    { id: 'role', header: t.role, cell: ({ role }) => memberRoleName(t.roleNames, role) },
    {
      id: 'second-factor',
      header: t.secondFactor,
      cell: ({ hasSecondFactor }) => (
        <StatusBadge tone={hasSecondFactor ? 'success' : 'warning'}>
          {hasSecondFactor ? t.hasSecondFactor : t.lacksSecondFactor}
        </StatusBadge>
      ),
    },
    {
      id: 'last-seen',
      header: t.lastSeen,
      cell: ({ lastSeenAt }) => (lastSeenAt === undefined ? t.never : <RelativeTime at={lastSeenAt} />),
    },
    {
      id: 'menu',
      header: t.menu,
      isHeaderHidden: true,
      align: 'right',
      cell: (member) => (
        <MemberMenu
          member={member}
          isMyself={member.userId === me.userId}
          mayChange={mayChange}
          lock={memberLock(member, { isLeader, isOperator, leaders })}
          isOperator={isOperator}
          onAsk={(what) => onAsk({ what, member })}
        />
      ),
    },
  ];
}

function Loading(): ReactElement {
  return (
    <div className={classes['loading']}>
      <LoadingLines />
    </div>
  );
}

/** Returns the initials of the first and last word. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return letters
    .map((word) => (word === undefined ? '' : String.fromCodePoint(word.codePointAt(0) ?? 32)))
    .join('')
    .toUpperCase();
}

interface MemberMenuProps {
  readonly member: Member;
  readonly isMyself: boolean;
  readonly mayChange: boolean;
  readonly lock: MemberLock | undefined;
  readonly isOperator: boolean;
  readonly onAsk: (what: 'role' | 'remove') => void;
}

/** Actions on a member, or why they are locked. */
function MemberMenu(props: MemberMenuProps): ReactElement | null {
  const { member, isMyself, mayChange, lock, isOperator, onAsk } = props;
  if (!mayChange && !isMyself) return null;
  const isLocked = lock !== undefined;
  return (
    <Menu width={260}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t.menuOf(member.name)}>
          <Ellipsis size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mayChange && (
          <Menu.Item
            leftSection={<UserCog size={15} aria-hidden />}
            disabled={isLocked}
            onClick={() => onAsk('role')}
          >
            {t.changeRole}
          </Menu.Item>
        )}
        <Menu.Item
          color="red"
          leftSection={isMyself ? <LogOut size={15} aria-hidden /> : <UserMinus size={15} aria-hidden />}
          disabled={isLocked}
          onClick={() => onAsk('remove')}
        >
          {isMyself ? t.leave : t.remove}
        </Menu.Item>
        {isLocked && (
          <>
            <Menu.Divider />
            <Text className={classes['lock']} size="xs" c="dimmed">
              {lockText(lock, isOperator)}
            </Text>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function lockText(lock: MemberLock, isOperator: boolean): string {
  if (lock === 'last-leader') return isOperator ? t.lastOperator : t.lastOwner;
  return isOperator ? t.operatorOnly : t.ownerOnly;
}
