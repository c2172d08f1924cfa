import type { StatisticsPoint } from '@countersign/contract';
import { useApiQuery } from '../../api/queries.ts';
import type { QueryLike } from '../../components/query-state.tsx';
import { type Range, startOfRange, stepsOfRange } from '../../components/range-picker.tsx';

/** Loads the counts of requests of a range and of the one before it, oldest first. */
export function useTraffic(range: Range): QueryLike<readonly StatisticsPoint[]> {
  const { interval } = stepsOfRange[range];
  const from = startOfRange(range, 2, Date.now());
  const { data, error, refetch } = useApiQuery(
    'getRequestStatistics',
    { query: { interval, from } },
    { keepsPrevious: true },
  );
  return { data: data?.interval === interval ? data.series[0]?.points : undefined, error, refetch };
}
