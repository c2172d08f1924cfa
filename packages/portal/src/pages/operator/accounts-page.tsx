import type { Account } from '@countersign/contract';
import { Button, Group } from '@mantine/core';
import { Plus, SearchX, UserRoundCog } from 'lucide-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useSearchParams } from 'wouter';
import { usePagedQuery } from '../../api/queries.ts';
import { CopyableText } from '../../components/copyable-text.tsx';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { LoadingLines, QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { ListFoot } from '../../lists/list-foot.tsx';
import { SearchField } from '../../lists/search-field.tsx';
import { operator as t } from '../../messages/en/operator.ts';
import { usePermission } from '../../session/session-context.ts';
import { AccountDialog, type AccountToEdit } from './account-dialog.tsx';
import { ActDialog } from './act-dialog.tsx';
import classes from './operator.module.css';

const pageSize = 50;

/** Operator > Accounts. */
export default function AccountsPage(): ReactElement {
  const [edited, setEdited] = useState<AccountToEdit>();
  const [actedFor, setActedFor] = useState<Account>();
  return (
    <Page
      title={t.accountsTitle}
      description={t.accountsDescription}
      actions={
        <Permitted permission="accounts:write">
          {(isDisabled) => (
            <Button
              leftSection={<Plus size={16} aria-hidden />}
              disabled={isDisabled}
              onClick={() => setEdited({ kind: 'new' })}
            >
              {t.add}
            </Button>
          )}
        </Permitted>
      }
    >
      <Accounts onEdit={setEdited} onAct={setActedFor} />
      <AccountDialog edited={edited} onClose={() => setEdited(undefined)} />
      <ActDialog account={actedFor} onClose={() => setActedFor(undefined)} />
    </Page>
  );
}

interface AccountsProps {
  readonly onEdit: (edited: AccountToEdit) => void;
  readonly onAct: (account: Account) => void;
}

function Accounts({ onEdit, onAct }: AccountsProps): ReactElement {
  const [address, setAddress] = useSearchParams();
  const search = address.get('search') ?? '';
  const query = usePagedQuery(
    'listAccounts',
    { query: { limit: pageSize, ...(search !== '' && { search }) } },
    { keepsPrevious: true },
  );
  const accounts = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      <SearchField
        className={classes['search']}
        label={t.search}
        placeholder={t.searchPlaceholder}
        value={search}
        onSearch={(text) => setAddress(text === '' ? {} : { search: text }, { replace: true })}
      />
      <Section title={t.list} isFlush>
        <QueryState query={query} loading={<Loading />}>
          {() => (
            <div aria-busy={query.isPlaceholderData}>
              <AccountTable
                accounts={accounts}
                onEdit={(account) => onEdit({ kind: 'change', accountId: account.accountId })}
                onAct={onAct}
                empty={
                  <EmptyState icon={SearchX} title={t.noneTitle}>
                    {t.noneText}
                  </EmptyState>
                }
              />
            </div>
          )}
        </QueryState>
      </Section>
      {query.data && (
        <ListFoot
          query={query}
          count={accounts.length}
          shown={t.accountCount(accounts.length, query.hasNextPage)}
        />
      )}
    </>
  );
}

function Loading(): ReactElement {
  return (
    <div className={classes['loading']}>
      <LoadingLines count={5} />
    </div>
  );
}

interface AccountTableProps {
  readonly accounts: readonly Account[];
  readonly onEdit: (account: Account) => void;
  readonly onAct: (account: Account) => void;
  readonly empty: ReactNode;
}

function AccountTable({ accounts, onEdit, onAct, empty }: AccountTableProps): ReactElement {
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

interface AccountActionsProps {
  readonly account: Account;
  readonly onEdit: (account: Account) => void;
  readonly onAct: (account: Account) => void;
}

function AccountActions({ account, onEdit, onAct }: AccountActionsProps): ReactElement {
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
