import type { Account } from '@countersign/contract';
import { Button, TextInput } from '@mantine/core';
import { Plus, Search, SearchX } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useSearchParams } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { LoadingLines, QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { AccountDialog, type AccountToEdit } from './account-dialog.tsx';
import { AccountTable } from './account-table.tsx';
import { ActDialog } from './act-dialog.tsx';
import classes from './operator.module.css';
import { searchAccounts, useAllAccounts } from './use-accounts.ts';

/** Operator > Accounts: the customers of the service, and acting for one of them. */
export default function AccountsPage(): ReactElement {
  const t = useMessages('operator');
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

function Accounts({
  onEdit,
  onAct,
}: {
  readonly onEdit: (edited: AccountToEdit) => void;
  readonly onAct: (account: Account) => void;
}): ReactElement {
  const t = useMessages('operator');
  const [query, setQuery] = useSearchParams();
  const text = query.get('search') ?? '';
  const all = useAllAccounts();
  const search = (typed: string): void => setQuery(typed === '' ? {} : { search: typed }, { replace: true });
  return (
    <>
      <TextInput
        label={t.search}
        placeholder={t.searchPlaceholder}
        leftSection={<Search size={15} aria-hidden />}
        value={text}
        onChange={(event) => search(event.currentTarget.value)}
        className={classes['search']}
        type="search"
        autoComplete="off"
      />
      <Section title={t.list} description={all.data && t.accountCount(all.data.accounts.length)} isFlush>
        <QueryState query={all} loading={<Loading />}>
          {({ accounts, isComplete }) => (
            <>
              <AccountTable
                accounts={searchAccounts(accounts, text)}
                onEdit={(account) => onEdit({ kind: 'change', accountId: account.accountId })}
                onAct={onAct}
                empty={
                  <EmptyState icon={SearchX} title={t.noneTitle}>
                    {t.noneText}
                  </EmptyState>
                }
              />
              {!isComplete && <p className={classes['note']}>{t.partly(accounts.length)}</p>}
            </>
          )}
        </QueryState>
      </Section>
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
