import type { Account, AccountOverview } from '@countersign/contract';
import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { CirclePause, CirclePlay, EllipsisVertical, Pencil, Trash2, UserRoundCog } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { CopyableText } from '../../components/copyable-text.tsx';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { operator as t } from '#messages/operator.ts';
import { usePermission } from '../../session/session-context.ts';
import type { AccountAct } from './account-act-dialog.tsx';
import classes from './operator.module.css';

interface AccountHandlers {
  readonly onEdit: (account: Account) => void;
  readonly onActFor: (account: Account) => void;
  readonly onAct: (account: Account, act: AccountAct) => void;
}

interface AccountTableProps extends AccountHandlers {
  readonly overviews: readonly AccountOverview[];
  readonly empty: ReactNode;
}

/** The accounts with their owners and traffic. */
export function AccountTable({ overviews, empty, ...handlers }: AccountTableProps): ReactElement {
  const columns: readonly DataColumn<AccountOverview>[] = [
    {
      id: 'name',
      header: t.name,
      isRowHeader: true,
      cell: ({ account }) => <AccountName account={account} />,
      below: ({ account: { accountId } }) => (
        <span className={classes['accountId']}>
          <CopyableText value={accountId} label={t.accountId} isShort />
        </span>
      ),
    },
    {
      id: 'owner',
      header: t.owner,
      cell: ({ owner, owners }) => (owner === null ? t.noOwner : <Owner {...owner} others={owners - 1} />),
    },
    {
      id: 'clients',
      header: t.clients,
      align: 'right',
      isHiddenWhenNarrow: true,
      cell: ({ clients }) => t.count(clients),
    },
    {
      id: 'lastDay',
      header: t.lastDay,
      align: 'right',
      isHiddenWhenNarrow: true,
      cell: ({ lastDay }) => t.traffic(lastDay),
    },
    {
      id: 'last30Days',
      header: t.last30Days,
      align: 'right',
      cell: ({ last30Days }) => t.traffic(last30Days),
    },
    {
      id: 'lastRequest',
      header: t.lastRequest,
      cell: ({ lastRequestAt }) => (lastRequestAt === null ? t.never : <RelativeTime at={lastRequestAt} />),
    },
    {
      id: 'actions',
      header: t.menu,
      isHeaderHidden: true,
      align: 'right',
      cell: ({ account }) => <AccountActions account={account} {...handlers} />,
    },
  ];
  return (
    <DataTable
      label={t.list}
      columns={columns}
      rows={overviews}
      rowKey={({ account }) => account.accountId}
      empty={empty}
    />
  );
}

function AccountName({ account: { name, isOperator, status } }: { readonly account: Account }): ReactElement {
  return (
    <span className={classes['name']}>
      <bdi>{name}</bdi>
      {isOperator && <StatusBadge tone="info">{t.ownAccount}</StatusBadge>}
      {status !== 'active' && (
        <StatusBadge tone={status === 'suspended' ? 'warning' : 'neutral'}>{t.statuses[status]}</StatusBadge>
      )}
    </span>
  );
}

interface OwnerProps {
  readonly name: string;
  readonly email: string;
  readonly others: number;
}

function Owner({ name, email, others }: OwnerProps): ReactElement {
  return (
    <span className={classes['owner']} title={email}>
      <bdi>{name}</bdi>
      {others > 0 && ` ${t.moreOwners(others)}`}
    </span>
  );
}

function AccountActions({
  account,
  onEdit,
  onActFor,
  onAct,
}: AccountHandlers & { readonly account: Account }): ReactElement {
  const mayAct = usePermission('accounts:act') && !account.isOperator && account.status !== 'closed';
  const mayWrite = usePermission('accounts:write');
  return (
    <Group gap={6} className={classes['actions']}>
      {mayAct && (
        <Button
          size="xs"
          variant="default"
          leftSection={<UserRoundCog size={14} aria-hidden />}
          aria-label={t.actFor(account.name)}
          onClick={() => onActFor(account)}
        >
          {t.act}
        </Button>
      )}
      {mayWrite && (
        <Menu>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={t.menuOf(account.name)}>
              <EllipsisVertical size={18} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<Pencil size={16} aria-hidden />} onClick={() => onEdit(account)}>
              {t.change}
            </Menu.Item>
            <ActItems account={account} onAct={(act) => onAct(account, act)} />
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  );
}

/** The actions that the account's state allows. */
function ActItems({
  account: { isOperator, status },
  onAct,
}: {
  readonly account: Account;
  readonly onAct: (act: AccountAct) => void;
}): ReactElement | null {
  if (isOperator || status === 'closed') return null;
  const change = status === 'suspended' ? 'resume' : 'suspend';
  const Icon = change === 'resume' ? CirclePlay : CirclePause;
  return (
    <>
      <Menu.Item leftSection={<Icon size={16} aria-hidden />} onClick={() => onAct(change)}>
        {t.acts[change].item}
      </Menu.Item>
      <Menu.Item color="red" leftSection={<Trash2 size={16} aria-hidden />} onClick={() => onAct('close')}>
        {t.acts.close.item}
      </Menu.Item>
    </>
  );
}
