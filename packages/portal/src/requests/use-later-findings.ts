import { pageLimits, type RequestEntry } from '@countersign/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { useAccountId } from '../api/current-account.ts';
import { isRefusal } from '../explanation/refusal.ts';
import { type RequestFilters, requestTotalsQuery } from './request-filters.ts';

/** Mistakes are found some time after a request is written, most of them within a second. */
const lookEveryMs = 2000;
const looks = 3;

/**
 * Returns requests that arrived live with the mistakes that were found in them since: an event tells of a request before
 * anyone has looked for its mistake.
 *
 * @param arrived newest first
 */
export function useLaterFindings(
  arrived: readonly RequestEntry[],
  filters: RequestFilters,
): readonly RequestEntry[] {
  // Kept, because a look does not reach those that arrived long before.
  const [known] = useState(() => new Map<string, string>());
  const limit = pageLimits.limitMax;
  const refusals = arrived.slice(0, limit).filter(({ outcome }) => isRefusal(outcome));
  const from = refusals.at(-1)?.receivedAt;
  const { data: codes } = useQuery<ReadonlyMap<string, string>>({
    queryKey: ['later-findings', useAccountId(), refusals[0]?.requestId],
    queryFn: async ({ signal }) => {
      const query = { ...requestTotalsQuery(filters, Date.now()), from: from!, limit };
      const { data } = await api.call('listRequests', { query, signal });
      for (const { requestId, findingCode } of data)
        if (findingCode !== undefined) known.set(requestId, findingCode);
      return new Map(known);
    },
    enabled: from !== undefined,
    refetchInterval: ({ state }) => (state.dataUpdateCount < looks ? lookEveryMs : false),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    structuralSharing: false,
  });
  return arrived.map((entry) => {
    const findingCode = codes?.get(entry.requestId);
    return findingCode === undefined ? entry : { ...entry, findingCode };
  });
}
