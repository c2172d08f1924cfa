import type { RequestEntry } from '@countersign/contract';
import { Inbox, SearchX } from 'lucide-react';
import type { ReactElement } from 'react';
import { api } from '../../api/api.ts';
import { useAccountId } from '../../api/current-account.ts';
import { useLiveEvents } from '../../api/live-events-provider.tsx';
import { useClientNames } from '../../clients/use-client-names.ts';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { OutcomeBadge } from '../../explanation/outcome-badge.tsx';
import { ListState, NewEntriesBar } from '../../lists/list-state.tsx';
import { type SteadyList, useSteadyList } from '../../lists/use-steady-list.ts';
import { requests as t } from '../../messages/en/requests.ts';
import { fitsFilters, type RequestFilters, requestListQuery } from '../../requests/request-filters.ts';
import classes from './requests.module.css';

interface RequestListSectionProps {
  readonly filters: RequestFilters;
  readonly hrefOf: (requestId: string) => string;
}

/** The list, with a button for new entries. */
export function RequestListSection({ filters, hrefOf }: RequestListSectionProps): ReactElement {
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

const pageSize = 25;

/** Returns the filtered requests, and counts new ones. */
function useRequestList(filters: RequestFilters): SteadyList<RequestEntry> {
  const accountId = useAccountId();
  const list = useSteadyList<RequestEntry>({
    key: `requests ${accountId} ${JSON.stringify(filters)}`,
    load: (nowMs, cursor, signal) =>
      api.call('listRequests', {
        query: {
          ...requestListQuery(filters, nowMs),
          limit: pageSize,
          ...(cursor !== undefined && { cursor }),
        },
        signal,
      }),
  });
  useLiveEvents((entry) => {
    if (fitsFilters(entry, filters)) list.noteNew();
  });
  return list;
}

interface RequestTableProps {
  readonly entries: readonly RequestEntry[];
  readonly clientName: (clientId: string) => string | undefined;
  readonly hrefOf: (requestId: string) => string;
}

function RequestTable({ entries, clientName, hrefOf }: RequestTableProps): ReactElement {
  const columns: readonly DataColumn<RequestEntry>[] = [
    {
      id: 'request',
      header: t.request,
      isRowHeader: true,
      cell: ({ method, url }) => (
        <span className={classes['request']}>
          <span className={classes['method']}>{method}</span> <bdi className={classes['url']}>{url}</bdi>
        </span>
      ),
    },
    {
      id: 'outcome',
      header: t.outcome,
      cell: ({ outcome, isObserved }) => <OutcomeBadge outcome={outcome} isObserved={isObserved} />,
    },
    {
      id: 'client',
      header: t.client,
      cell: ({ clientId }) => <bdi title={clientId}>{clientName(clientId) ?? <code>{clientId}</code>}</bdi>,
    },
    {
      id: 'source',
      header: t.sourceAddress,
      cell: ({ sourceAddress }) =>
        sourceAddress === '' ? (
          <span className={classes['time']}>{t.unknownAddress}</span>
        ) : (
          <code className={classes['address']}>{sourceAddress}</code>
        ),
    },
    {
      id: 'time',
      header: t.time,
      align: 'right',
      cell: ({ receivedAt }) => (
        <span className={classes['time']}>
          <RelativeTime at={receivedAt} />
        </span>
      ),
    },
  ];
  return (
    <DataTable
      label={t.list}
      columns={columns}
      rows={entries}
      rowKey={({ requestId }) => requestId}
      rowHref={({ requestId }) => hrefOf(requestId)}
    />
  );
}
