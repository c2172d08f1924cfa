import { useThrottledValue } from '@mantine/hooks';
import { type ReactElement, useEffect } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { requests as t } from '#messages/requests.ts';
import { type RequestFilters, requestTotalsQuery } from '../../requests/request-filters.ts';

interface RequestTotalsLineProps {
  readonly filters: RequestFilters;
  /** The time as of which the list is shown. */
  readonly nowMs: number;
  /** The newest request that arrived since; another one makes the totals stale. */
  readonly newestId: string | undefined;
}

/** Requests may arrive by the thousand: they are counted again at most this often. */
const recountMs = 2500;

/**
 * Shows how many requests the filters select, and how many of them were accepted. New requests are never
 * added up here: a count in progress may or may not have included them, so only the service knows.
 */
export function RequestTotalsLine({ filters, nowMs, newestId }: RequestTotalsLineProps): ReactElement {
  const { data, refetch } = useApiQuery(
    'getRequestTotals',
    { query: requestTotalsQuery(filters, nowMs) },
    { keepsPrevious: true },
  );
  const recountedFor = useThrottledValue(newestId, recountMs);
  useEffect(() => {
    if (recountedFor !== undefined) void refetch();
  }, [recountedFor, refetch]);
  return <span className="tabular">{data === undefined ? t.counting : t.totals(data)}</span>;
}
