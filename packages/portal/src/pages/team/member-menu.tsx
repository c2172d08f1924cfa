import type { Member } from '@countersign/contract';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { Ellipsis, LogOut, UserCog, UserMinus } from 'lucide-react';
import type { ReactElement } from 'react';
import { useMessages } from '../../messages/messages.ts';
import classes from './team.module.css';
import type { MemberLock } from './use-team.ts';

interface MemberMenuProps {
  readonly member: Member;
  readonly isMyself: boolean;
  readonly mayChange: boolean;
  readonly lock: MemberLock | undefined;
  readonly isOperator: boolean;
  readonly onAsk: (what: 'role' | 'remove') => void;
}

/** What can be done about a member, and in words why something cannot. */
export function MemberMenu(props: MemberMenuProps): ReactElement | null {
  const { member, isMyself, mayChange, lock, isOperator, onAsk } = props;
  const t = useMessages('team');
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
              {lockText(lock, isOperator, t)}
            </Text>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function lockText(lock: MemberLock, isOperator: boolean, t: ReturnType<typeof useMessages<'team'>>): string {
  if (lock === 'last-leader') return isOperator ? t.lastOperator : t.lastOwner;
  return isOperator ? t.operatorOnly : t.ownerOnly;
}
