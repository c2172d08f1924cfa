import type { ServiceSetting } from '@countersign/contract';
import { Switch } from '@mantine/core';
import { SearchX } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { SearchField } from '../../lists/search-field.tsx';
import { operatorSettings as t } from '#messages/operator-settings.ts';
import classes from './operator.module.css';

/** Operator > Settings: the settings in force and their sources. */
export default function SettingsPage(): ReactElement {
  const query = useApiQuery('listServiceSettings');
  return (
    <Page title={t.title} description={t.description}>
      <QueryState query={query}>{({ data }) => <Settings settings={data} />}</QueryState>
    </Page>
  );
}

const columns: readonly DataColumn<ServiceSetting>[] = [
  {
    id: 'name',
    header: t.name,
    isRowHeader: true,
    cell: ({ name }) => name,
    below: ({ environment }) => <code className={classes['variable']}>{environment}</code>,
  },
  {
    id: 'value',
    header: t.value,
    cell: ({ value }) => (value === '' ? t.empty : <code className={classes['value']}>{value}</code>),
  },
  {
    id: 'source',
    header: t.source,
    cell: ({ source }) =>
      source === 'default' ? t.sources.default : <StatusBadge tone="info">{t.sources[source]}</StatusBadge>,
  },
  { id: 'help', header: t.help, cell: ({ help }) => <span className={classes['help']}>{help}</span> },
];

function Settings({ settings }: { readonly settings: readonly ServiceSetting[] }): ReactElement {
  const [search, setSearch] = useState('');
  const [isChangedOnly, setIsChangedOnly] = useState(false);
  const text = search.toLowerCase();
  const shown = settings.filter(
    ({ name, environment, help, source }) =>
      (!isChangedOnly || source !== 'default') &&
      [name, environment, help].some((one) => one.toLowerCase().includes(text)),
  );
  return (
    <>
      <div className={classes['bar']}>
        <SearchField
          className={classes['search']}
          label={t.search}
          placeholder={t.searchPlaceholder}
          value={search}
          onSearch={setSearch}
        />
        <Switch
          label={t.changedOnly}
          checked={isChangedOnly}
          onChange={(event) => setIsChangedOnly(event.currentTarget.checked)}
          className={classes['switch']}
        />
      </div>
      <Section title={t.list} isFlush isPlain>
        <DataTable
          label={t.list}
          columns={columns}
          rows={shown}
          rowKey={({ name }) => name}
          empty={
            <EmptyState icon={SearchX} title={t.noneTitle}>
              {t.noneText}
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}
