import type { Account, AccountSort } from '@countersign/contract';
import { Button, Select } from '@mantine/core';
import { Plus, SearchX } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { usePagedQuery } from '../../api/queries.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { LoadingLines, QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { ListFoot } from '../../lists/list-foot.tsx';
import { SearchField } from '../../lists/search-field.tsx';
import { operator as t } from '#messages/operator.ts';
import { AccountActDialog, type AccountToActOn } from './account-act-dialog.tsx';
import { AccountDialog, type AccountToEdit } from './account-dialog.tsx';
import { AccountTable } from './account-table.tsx';
import { ActDialog } from './act-dialog.tsx';
import classes from './operator.module.css';

const pageSize = 50;
const sorts: readonly AccountSort[] = [
  'name',
  'created',
  'clients',
  'lastDay',
  'last30Days',
  'refused',
  'lastRequest',
];

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
      <Accounts onEdit={setEdited} onActFor={setActedFor} />
      <AccountDialog edited={edited} onClose={() => setEdited(undefined)} />
      <ActDialog account={actedFor} onClose={() => setActedFor(undefined)} />
    </Page>
  );
}

interface AccountsProps {
  readonly onEdit: (edited: AccountToEdit) => void;
  readonly onActFor: (account: Account) => void;
}

function Accounts({ onEdit, onActFor }: AccountsProps): ReactElement {
  const [address, setAddress] = useParameters();
  const [chosen, setChosen] = useState<AccountToActOn>();
  const search = address.get('search') ?? '';
  const sort = sorts.find((one) => one === address.get('sort')) ?? 'name';
  const query = usePagedQuery(
    'listAccountOverviews',
    { query: { limit: pageSize, sort, ...(search !== '' && { search }) } },
    { keepsPrevious: true },
  );
  const overviews = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const show = (next: { readonly search: string; readonly sort: AccountSort }): void =>
    setAddress(
      {
        ...(next.search !== '' && { search: next.search }),
        ...(next.sort !== 'name' && { sort: next.sort }),
      },
      { replace: true },
    );
  return (
    <>
      <div className={classes['bar']}>
        <SearchField
          className={classes['search']}
          label={t.search}
          placeholder={t.searchPlaceholder}
          value={search}
          onSearch={(text) => show({ search: text, sort })}
        />
        <Select
          aria-label={t.sort}
          className={classes['sort']}
          data={sorts.map((value) => ({ value, label: t.sorts[value] }))}
          value={sort}
          allowDeselect={false}
          onChange={(next) => show({ search, sort: sorts.find((one) => one === next) ?? 'name' })}
        />
      </div>
      <Section title={t.list} isFlush isPlain>
        <QueryState query={query} loading={<Loading />}>
          {() => (
            <div aria-busy={query.isPlaceholderData}>
              <AccountTable
                overviews={overviews}
                onEdit={({ accountId }) => onEdit({ kind: 'change', accountId })}
                onActFor={onActFor}
                onAct={(account, act) => setChosen({ account, act })}
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
          count={overviews.length}
          shown={t.accountCount(overviews.length, query.hasNextPage)}
        />
      )}
      <AccountActDialog chosen={chosen} onClose={() => setChosen(undefined)} />
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
