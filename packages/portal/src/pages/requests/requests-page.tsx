import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactElement, Suspense, useState } from 'react';
import { useClientNames } from '../../clients/use-client-names.ts';
import { Page } from '../../components/page.tsx';
import { LoadingLines } from '../../components/query-state.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import type { ExportOrder } from '../../lists/export-file.ts';
import { ExportMenu } from '../../lists/export-menu.tsx';
import type { Period, RollingPeriod } from '../../lists/period.ts';
import { requests as t } from '#messages/requests.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { useRequestsKept } from '../../session/session-context.ts';
import {
  readRequestFilters,
  type RequestFilters,
  requestFiltersQuery,
  requestListQuery,
  requestsPath,
} from '../../requests/request-filters.ts';
import { useRequestList } from '../../requests/use-request-list.ts';
import { FailureStrip } from './failure-strip.tsx';
import { RequestFilterBar } from './request-filter-bar.tsx';
import { RequestRows, WatchButton } from './request-rows.tsx';
import { RequestTotalsLine } from './request-totals-line.tsx';
import { TimeRangeChip } from './time-range-chip.tsx';
import { ViewsMenu } from './views-menu.tsx';
import classes from './requests.module.css';

const RequestHistogram = lazyPart(async () => (await import('./request-histogram.tsx')).RequestHistogram);
const RequestDetail = lazyPart(async () => (await import('./request-detail.tsx')).RequestDetail);

/** Logs > Requests: what clients sent, and why it was rejected. The address holds the filters. */
export default function RequestsPage(): ReactElement {
  const [query, setQuery] = useParameters();
  // A narrow page has no room for a drawer.
  const isNarrow = useMediaQuery('(max-width: 62em)', undefined, { getInitialValueInEffect: false }) ?? false;
  const requestId = query.get('request') ?? undefined;
  const filters = readRequestFilters(query);
  const close = (): void => setQuery(requestFiltersQuery(filters));
  if (requestId !== undefined && isNarrow)
    return <RequestDetailPage requestId={requestId} backTo={requestsPath(filters)} />;
  return (
    <ListPage filters={filters} onChange={(next) => setQuery(requestFiltersQuery(next), { replace: true })}>
      <RequestDrawer requestId={requestId} onClose={close} />
    </ListPage>
  );
}

interface ListPageProps {
  readonly filters: RequestFilters;
  readonly onChange: (filters: RequestFilters) => void;
  readonly children: ReactElement;
}

function ListPage({ filters, onChange, children }: ListPageProps): ReactElement {
  const requestsKept = useRequestsKept();
  const clientName = useClientNames();
  const list = useRequestList(filters, clientName);
  const hrefOf = (requestId: string): string => requestsPath(filters, requestId);
  const rolling = useLastRolling(filters.period);
  const order = (): ExportOrder => ({
    operation: 'listRequests',
    query: { ...requestListQuery(filters, Date.now()) },
    fileStem: `requests-${new Date().toISOString().slice(0, 10)}`,
  });
  return (
    <Page
      title={t.title}
      description={
        <RequestTotalsLine filters={filters} nowMs={list.nowMs} newestId={list.arrived[0]?.requestId} />
      }
      actions={
        <>
          <ViewsMenu filters={filters} onChange={onChange} />
          <WatchButton list={list} />
          <ExportMenu order={order} />
        </>
      }
      isDense
    >
      <RequestFilterBar filters={filters} onChange={onChange} />
      <div className={classes['histogram']}>
        <Suspense>
          <RequestHistogram filters={filters} nowMs={list.nowMs} onChange={onChange} />
        </Suspense>
      </div>
      {filters.period === 'custom' && (
        <TimeRangeChip
          range={filters}
          onClear={() => onChange({ ...filters, period: rolling, from: undefined, to: undefined })}
        />
      )}
      {filters.outcome !== 'accepted' && filters.search === '' && filters.period !== 'custom' && (
        <FailureStrip
          key={filters.period}
          filters={filters}
          period={filters.period}
          onChange={onChange}
          hrefOf={hrefOf}
        />
      )}
      <RequestRows
        filters={filters}
        list={list}
        clientName={clientName}
        hrefOf={hrefOf}
        onSort={(sort) => onChange({ ...filters, sort })}
      />
      {/* Rows that arrive must not push it away. */}
      {list.pages.data && <p className={classes['kept']}>{t.kept(requestsKept)}</p>}
      {children}
    </Page>
  );
}

/** Returns the rolling period that the list had last, for when a chosen stretch of time is cleared. */
function useLastRolling(period: Period): RollingPeriod {
  const [last, setLast] = useState<RollingPeriod>('24h');
  if (period === 'custom' || period === last) return last;
  setLast(period);
  return period;
}

interface RequestDetailPageProps {
  readonly requestId: string;
  readonly backTo: string;
}

/** The detail as a page, if there is no room for a drawer. */
function RequestDetailPage({ requestId, backTo }: RequestDetailPageProps): ReactElement {
  return (
    <Page title={t.detail} back={{ to: backTo, label: t.back }}>
      <Suspense fallback={<LoadingLines />}>
        <RequestDetail requestId={requestId} />
      </Suspense>
    </Page>
  );
}

interface RequestDrawerProps {
  readonly requestId: string | undefined;
  readonly onClose: () => void;
}

function RequestDrawer({ requestId, onClose }: RequestDrawerProps): ReactElement {
  return (
    <Drawer
      opened={requestId !== undefined}
      onClose={onClose}
      position="right"
      size="46rem"
      title={t.detail}
      overlayProps={{ backgroundOpacity: 0.3 }}
      padding="lg"
    >
      <Suspense fallback={<LoadingLines />}>
        {requestId !== undefined && <RequestDetail key={requestId} requestId={requestId} />}
      </Suspense>
    </Drawer>
  );
}
