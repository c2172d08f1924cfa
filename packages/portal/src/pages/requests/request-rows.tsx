import { isId, type RequestSort } from '@countersign/contract';
import { Button } from '@mantine/core';
import { Inbox, Pause, Play, SearchX } from 'lucide-react';
import { type ReactElement, Suspense } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { LoadingLines } from '../../components/query-state.tsx';
import lists from '../../lists/list.module.css';
import { ListState, NewEntriesBar } from '../../lists/list-state.tsx';
import { requests as t } from '#messages/requests.ts';
import { areFiltered, type RequestFilters } from '../../requests/request-filters.ts';
import type { RequestList } from '../../requests/use-request-list.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { RequestTable } from './request-table.tsx';
import classes from './requests.module.css';

const MissingRequest = lazyPart(async () => (await import('./missing-request.tsx')).MissingRequest);

interface RequestRowsProps {
  readonly filters: RequestFilters;
  readonly list: RequestList;
  readonly clientName: (clientId: string) => string | undefined;
  readonly hrefOf: (requestId: string) => string;
  /** The request that is shown beside the list. */
  readonly openId: string | undefined;
  readonly onSort: (sort: RequestSort) => void;
}

/** The list. New requests are offered by a button, or appear on top while the list is watched. */
export function RequestRows(props: RequestRowsProps): ReactElement {
  const { filters, list, clientName, hrefOf, openId, onSort } = props;
  const { pages, newCount, showNew, entries } = list;
  const table = (
    <RequestTable
      entries={entries}
      clientName={clientName}
      hrefOf={hrefOf}
      openId={openId}
      sort={filters.sort}
      onSort={onSort}
    />
  );
  const bar = (
    <NewEntriesBar
      count={newCount.count}
      label={t.newEntries(newCount)}
      spoken={t.newAnnounced(newCount)}
      isBusy={pages.isFetching && !pages.isFetchingNextPage}
      onShow={showNew}
    />
  );
  return (
    <>
      {/* Over the list: it must not move the request that is open. */}
      {openId !== undefined && <div className={classes['newEntries']}>{bar}</div>}
      <div className={lists['card']}>
        {openId === undefined && bar}
        <ListState pages={pages} empty={entries.length > 0 ? table : <NoRequests filters={filters} />}>
          {() => table}
        </ListState>
      </div>
    </>
  );
}

/** Starts and pauses the live list. */
export function WatchButton({ list }: { readonly list: RequestList }): ReactElement | null {
  const { canWatch, isWatched, setWatched } = list;
  if (!canWatch) return null;
  return (
    <Button
      variant="default"
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
  if (!error) return <LoadingLines />;
  return (
    <Suspense fallback={<LoadingLines />}>
      <MissingRequest error={error} />
    </Suspense>
  );
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
