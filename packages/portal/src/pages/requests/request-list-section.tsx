import { isId } from '@countersign/contract';
import { Button } from '@mantine/core';
import { Inbox, Pause, Play, SearchX } from 'lucide-react';
import type { ReactElement } from 'react';
import { useClientNames } from '../../clients/use-client-names.ts';
import { useApiQuery } from '../../api/queries.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { LoadingLines } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { ListState, NewEntriesBar } from '../../lists/list-state.tsx';
import { requests as t } from '../../messages/en/requests.ts';
import { areFiltered, type RequestFilters } from '../../requests/request-filters.ts';
import { type RequestList, useRequestList } from '../../requests/use-request-list.ts';
import { MissingRequest } from './missing-request.tsx';
import { RequestTable } from './request-table.tsx';
import { RequestTotalsLine } from './request-totals-line.tsx';

interface RequestListSectionProps {
  readonly filters: RequestFilters;
  readonly onChange: (filters: RequestFilters) => void;
  readonly hrefOf: (requestId: string) => string;
}

/** The list with its totals. New requests are offered by a button, or appear on top while the list is watched. */
export function RequestListSection({ filters, onChange, hrefOf }: RequestListSectionProps): ReactElement {
  const clientName = useClientNames();
  const list = useRequestList(filters, clientName);
  const { pages, newCount, showNew, arrived, nowMs } = list;
  const table = (entries: Parameters<typeof RequestTable>[0]['entries']): ReactElement => (
    <RequestTable
      entries={entries}
      clientName={clientName}
      hrefOf={hrefOf}
      sort={filters.sort}
      onSort={(sort) => onChange({ ...filters, sort })}
    />
  );
  return (
    <Section
      title={t.list}
      description={<RequestTotalsLine filters={filters} nowMs={nowMs} newestId={arrived[0]?.requestId} />}
      actions={<WatchButton list={list} />}
      isFlush
    >
      <NewEntriesBar
        count={newCount.count}
        label={t.newEntries(newCount)}
        spoken={t.newAnnounced(newCount)}
        isBusy={pages.isFetching && !pages.isFetchingNextPage}
        onShow={showNew}
      />
      <ListState pages={pages} empty={arrived.length > 0 ? table(arrived) : <NoRequests filters={filters} />}>
        {(entries) => {
          const known = new Set(entries.map(({ requestId }) => requestId));
          return table([...arrived.filter(({ requestId }) => !known.has(requestId)), ...entries]);
        }}
      </ListState>
    </Section>
  );
}

function WatchButton({ list }: { readonly list: RequestList }): ReactElement | null {
  const { canWatch, isWatched, setWatched } = list;
  if (!canWatch) return null;
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={isWatched ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />}
      onClick={() => setWatched(!isWatched)}
    >
      {isWatched ? t.pause : t.watch}
    </Button>
  );
}

/** Searches for a request ID that the log of this account lacks. */
function Sought({ requestId }: { readonly requestId: string }): ReactElement {
  const { error } = useApiQuery('getRequest', { path: { requestId } });
  return error ? <MissingRequest error={error} /> : <LoadingLines />;
}

function NoRequests({ filters }: { readonly filters: RequestFilters }): ReactElement {
  const search = filters.search.trim();
  if (isId('request', search)) return <Sought requestId={search} />;
  return areFiltered(filters) ? (
    <EmptyState icon={SearchX} title={t.noneTitle}>
      {t.noneText}
    </EmptyState>
  ) : (
    <EmptyState icon={Inbox} title={t.emptyTitle}>
      {t.emptyText}
    </EmptyState>
  );
}
