import type { Client } from '@countersign/contract';
import { useQueries } from '@tanstack/react-query';
import { api } from '../../../api/api.ts';
import { queryKeyOf } from '../../../api/queries.ts';
import { usePermission } from '../../../session/session-context.ts';
import { useAccountId } from '../../../api/current-account.ts';

/**
 * The requests of each day of the last 30, by clientId, for the clients of pages: one question for each page, so that a page
 * that was loaded before is not asked for again. Undefined when the person may not see requests.
 */
export function useTraffic(
  pages: readonly (readonly Client[])[],
): ReadonlyMap<string, readonly number[]> | undefined {
  const accountId = useAccountId();
  const isPermitted = usePermission('requests:read');
  const answers = useQueries({
    queries: pages.map((clients) => {
      const input = {
        query: {
          interval: 'day',
          by: 'client',
          clientId: clients.map(({ clientId }) => clientId).join(' '),
        },
      } as const;
      return {
        queryKey: queryKeyOf(accountId, 'getRequestStatistics', input),
        queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
          api.call('getRequestStatistics', { ...input, signal }),
        enabled: isPermitted && clients.length > 0,
      };
    }),
  });
  if (!isPermitted) return undefined;
  return new Map(
    answers
      .flatMap(({ data }) => data?.series ?? [])
      .map(({ name, points }) => [name, points.map(({ accepted, refused }) => accepted + refused)]),
  );
}
