import type { RequestEntry } from '@countersign/contract';
import { api } from '../../api/api.ts';
import { useLiveEvents } from '../../api/live-events-provider.tsx';
import { type SteadyList, useSteadyList } from '../../lists/use-steady-list.ts';
import { useAccountId } from '../../api/current-account.ts';
import { fitsFilters, type RequestFilters, requestListQuery } from './request-filters.ts';

const pageSize = 25;

/** The requests that the filters ask for; those that come meanwhile are counted. */
export function useRequestList(filters: RequestFilters): SteadyList<RequestEntry> {
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
