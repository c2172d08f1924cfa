import type { RequestAnalytics } from '@countersign/contract';
import { useApiQuery } from '../../api/queries.ts';
import type { QueryLike } from '../../components/query-state.tsx';
import { type Range, startOfRange, stepsOfRange } from '../../components/range-picker.tsx';

/** Loads the percentiles of the service's own time in a range, and in the one before it. */
export function useTimes(range: Range): QueryLike<Pick<RequestAnalytics, 'times' | 'before'>> {
  const { interval, count } = stepsOfRange[range];
  const { data, error, refetch } = useApiQuery(
    'getRequestAnalytics',
    { query: { interval, by: 'status', from: startOfRange(range, 1, Date.now()) } },
    { keepsPrevious: true },
  );
  const isOfRange = data?.interval === interval && data.points.length === count;
  return { data: isOfRange ? data : undefined, error, refetch };
}
