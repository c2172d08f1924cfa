import { Inbox, SearchX } from 'lucide-react';
import type { ReactElement } from 'react';
import { useClientNames } from '../../clients/use-client-names.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Section } from '../../components/section.tsx';
import { ListState } from '../../lists/list-state.tsx';
import { NewEntriesBar } from '../../lists/new-entries-bar.tsx';
import { useMessages } from '../../messages/messages.ts';
import type { RequestFilters } from './request-filters.ts';
import { RequestTable } from './request-table.tsx';
import { useRequestList } from './use-request-list.ts';

/** The list itself: pages of it, and a button for what came since. */
export function RequestListSection({
  filters,
  hrefOf,
}: {
  readonly filters: RequestFilters;
  readonly hrefOf: (requestId: string) => string;
}): ReactElement {
  const t = useMessages('requests');
  const clientName = useClientNames();
  const { pages, newCount, showNew } = useRequestList(filters);
  return (
    <Section title={t.list} isFlush>
      <NewEntriesBar
        count={newCount}
        label={t.newEntries(newCount)}
        spoken={t.newAnnounced(newCount)}
        isBusy={pages.isFetching && !pages.isFetchingNextPage}
        onShow={showNew}
      />
      <ListState pages={pages} empty={<NoRequests filters={filters} />}>
        {(entries) => <RequestTable entries={entries} clientName={clientName} hrefOf={hrefOf} />}
      </ListState>
    </Section>
  );
}

function NoRequests({ filters }: { readonly filters: RequestFilters }): ReactElement {
  const t = useMessages('requests');
  const isFiltered =
    filters.clientId !== undefined || filters.outcome !== undefined || filters.period !== '30d';
  return isFiltered ? (
    <EmptyState icon={SearchX} title={t.noneTitle}>
      {t.noneText}
    </EmptyState>
  ) : (
    <EmptyState icon={Inbox} title={t.emptyTitle}>
      {t.emptyText}
    </EmptyState>
  );
}
