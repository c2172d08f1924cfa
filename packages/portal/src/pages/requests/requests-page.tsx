import { useMediaQuery } from '@mantine/hooks';
import { type ReactElement, Suspense, useRef, useState } from 'react';
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
  requestListQuery,
  requestPagePath,
  requestQuery,
  requestsPath,
} from '../../requests/request-filters.ts';
import { type RequestList, useRequestList } from '../../requests/use-request-list.ts';
import { FailureStrip } from './failure-strip.tsx';
import { type GoToRequest, openRequestOf, useRowFocus } from './open-request.ts';
import { RequestFilterBar } from './request-filter-bar.tsx';
import { RequestRows, WatchButton } from './request-rows.tsx';
import { RequestTotalsLine } from './request-totals-line.tsx';
import { TimeRangeChip } from './time-range-chip.tsx';
import { ViewsMenu } from './views-menu.tsx';
import classes from './requests.module.css';

const RequestHistogram = lazyPart(async () => (await import('./request-histogram.tsx')).RequestHistogram);
const RequestPanel = lazyPart(async () => (await import('./request-panel.tsx')).RequestPanel);
const RequestDetailPage = lazyPart(async () => (await import('./request-page.tsx')).RequestDetailPage);

/** Logs > Requests: what clients sent, and why it was rejected. The address holds the filters and the open request. */
export default function RequestsPage(): ReactElement {
  const [query, setQuery] = useParameters();
  // A narrow page has no room for a request beside the list.
  const isNarrow =
    useMediaQuery('(max-width: 68.74em)', undefined, { getInitialValueInEffect: false }) ?? false;
  const openId = query.get('request') ?? undefined;
  const filters = readRequestFilters(query);
  if (openId !== undefined && isNarrow) {
    return (
      <Suspense fallback={<LoadingPage />}>
        <RequestDetailPage requestId={openId} backTo={requestsPath(filters)} />
      </Suspense>
    );
  }
  return (
    <ListPage
      filters={filters}
      openId={openId}
      onChange={(next) => setQuery(requestQuery(next, openId), { replace: true })}
      // Back closes a request, however many were looked at. After closing it, Back opens the last one.
      onGo={(requestId) => setQuery(requestQuery(filters, requestId), { replace: requestId !== undefined })}
    />
  );
}

/** The page has its heading from the beginning. */
function LoadingPage(): ReactElement {
  return (
    <Page title={t.detail}>
      <LoadingLines />
    </Page>
  );
}

interface ListPageProps {
  readonly filters: RequestFilters;
  readonly openId: string | undefined;
  readonly onChange: (filters: RequestFilters) => void;
  readonly onGo: GoToRequest;
}

function ListPage({ filters, openId, onChange, onGo }: ListPageProps): ReactElement {
  const requestsKept = useRequestsKept();
  const clientName = useClientNames();
  const list = useRequestList(filters, clientName, openId !== undefined);
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
      description={<RequestTotalsLine filters={filters} nowMs={list.nowMs} newestId={list.newestId} />}
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
      <ListWithRequest filters={filters} list={list} openId={openId} onGo={onGo}>
        <RequestRows
          filters={filters}
          list={list}
          clientName={clientName}
          hrefOf={hrefOf}
          openId={openId}
          onSort={(sort) => onChange({ ...filters, sort })}
        />
      </ListWithRequest>
      {/* Rows that arrive must not push it away. */}
      {list.pages.data && <p className={classes['kept']}>{t.kept(requestsKept)}</p>}
    </Page>
  );
}

interface ListWithRequestProps {
  readonly filters: RequestFilters;
  readonly list: RequestList;
  readonly openId: string | undefined;
  readonly onGo: GoToRequest;
  readonly children: ReactElement;
}

/** The list, and the open request beside it. */
function ListWithRequest({ filters, list, openId, onGo, children }: ListWithRequestProps): ReactElement {
  const region = useRef<HTMLDivElement>(null);
  const open = openRequestOf(list, openId, onGo);
  useRowFocus(region, open);
  return (
    <div ref={region} className={classes['split']} data-open={open !== undefined || undefined}>
      <div className={classes['list']}>{children}</div>
      {open && (
        <div className={classes['beside']}>
          <div className={classes['track']}>
            <Suspense fallback={<LoadingLines />}>
              <RequestPanel region={region} open={open} pageHref={requestPagePath(filters, open.requestId)} />
            </Suspense>
          </div>
        </div>
      )}
    </div>
  );
}

/** Returns the rolling period that the list had last, for when a chosen stretch of time is cleared. */
function useLastRolling(period: Period): RollingPeriod {
  const [last, setLast] = useState<RollingPeriod>('24h');
  if (period === 'custom' || period === last) return last;
  setLast(period);
  return period;
}
