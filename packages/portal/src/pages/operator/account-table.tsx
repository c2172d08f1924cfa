import type { Account } from '@countersign/contract';
import { Button, Group } from '@mantine/core';
import { UserRoundCog } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { CopyableText } from '../../components/copyable-text.tsx';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import classes from './operator.module.css';

/** The accounts, each with what can be done for it. */
export function AccountTable({
  accounts,
  onEdit,
  onAct,
  empty,
}: {
  readonly accounts: readonly Account[];
  readonly onEdit: (account: Account) => void;
  readonly onAct: (account: Account) => void;
  readonly empty: ReactNode;
}): ReactElement {
  const t = useMessages('operator');
  const columns: readonly DataColumn<Account>[] = [
    {
      id: 'name',
      header: t.name,
      isRowHeader: true,
      cell: ({ name, isOperator }) => (
        <span className={classes['name']}>
          <bdi>{name}</bdi>
          {isOperator && <StatusBadge tone="info">{t.ownAccount}</StatusBadge>}
        </span>
      ),
      below: ({ accountId }) => <CopyableText value={accountId} label={t.accountId} isShort />,
    },
    {
      id: 'key-age',
      header: t.keyAge,
      cell: ({ keyAgeDaysMax }) => (keyAgeDaysMax === null ? t.keyAgeNone : t.keyAgeDays(keyAgeDaysMax)),
    },
    {
      id: 'created',
      header: t.created,
      cell: ({ createdAt }) => (
        <span className={classes['time']}>
          <RelativeTime at={createdAt} />
        </span>
      ),
    },
    {
      id: 'actions',
      header: t.menu,
      align: 'right',
      cell: (account) => <AccountActions account={account} onEdit={onEdit} onAct={onAct} />,
    },
  ];
  return (
    <DataTable
      label={t.list}
      columns={columns}
      rows={accounts}
      rowKey={({ accountId }) => accountId}
      empty={empty}
    />
  );
}

function AccountActions({
  account,
  onEdit,
  onAct,
}: {
  readonly account: Account;
  readonly onEdit: (account: Account) => void;
  readonly onAct: (account: Account) => void;
}): ReactElement {
  const t = useMessages('operator');
  const mayAct = usePermission('accounts:act');
  const mayWrite = usePermission('accounts:write');
  return (
    <Group gap={6} className={classes['actions']}>
      {mayWrite && (
        <Button
          size="xs"
          variant="subtle"
          aria-label={`${t.change}: ${account.name}`}
          onClick={() => onEdit(account)}
        >
          {t.change}
        </Button>
      )}
      {mayAct && !account.isOperator && (
        <Button
          size="xs"
          variant="default"
          leftSection={<UserRoundCog size={14} aria-hidden />}
          aria-label={t.actFor(account.name)}
          onClick={() => onAct(account)}
        >
          {t.act}
        </Button>
      )}
    </Group>
  );
}
