import { Select } from '@mantine/core';
import { ListChecks } from 'lucide-react';
import type { ReactElement } from 'react';
import { usePagedQuery } from '../../api/queries.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { Section } from '../../components/section.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { FilterBar } from '../../lists/filter-bar.tsx';
import { ListState } from '../../lists/list-state.tsx';
import { pendingChanges as t } from '#messages/pending-changes.ts';
import { PendingChangeItem } from './pending-change-item.tsx';
import classes from './pending-changes.module.css';

const refetchIntervalMs = 15_000;

/** Settings > Pending changes: what waits for a second person. The address holds the filter. */
export default function PendingChangesPage(): ReactElement {
  const [search, setSearch] = useParameters();
  const show = search.get('show') === 'all' ? 'all' : 'waiting';
  const pages = usePagedQuery('listPendingChanges', { query: { limit: 25, show } }, { refetchIntervalMs });
  return (
    <Page title={t.title} description={t.description}>
      <FilterBar onClear={undefined}>
        <Select
          label={t.show}
          data={(['waiting', 'all'] as const).map((value) => ({ value, label: t.shows[value] }))}
          value={show}
          allowDeselect={false}
          onChange={(chosen) =>
            setSearch(new URLSearchParams(chosen === 'all' ? { show: 'all' } : {}), { replace: true })
          }
        />
      </FilterBar>
      <Section title={t.list} isFlush isPlain>
        <ListState
          pages={pages}
          empty={
            <EmptyState icon={ListChecks} title={t.noneTitle}>
              {t.noneText}
            </EmptyState>
          }
        >
          {(list) => (
            <ol className={classes['list']} aria-label={t.list}>
              {list.map((change) => (
                <PendingChangeItem key={change.pendingChangeId} change={change} />
              ))}
            </ol>
          )}
        </ListState>
      </Section>
    </Page>
  );
}
