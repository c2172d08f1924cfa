import type { RequestStatistics, StatisticsSeries } from '@countersign/contract';

/** How much of a client's accepted requests one key signed. */
export interface TrafficShare {
  readonly requests: number;
  /** Of all accepted requests, 0 to 1; undefined when there were none. */
  readonly share: number | undefined;
}

/**
 * How the accepted requests of a client are spread over its keys.
 *
 * @param statistics counted apart by key
 * @param from the time from which on requests count, in milliseconds; all points unless set
 */
export function trafficShares(
  statistics: RequestStatistics,
  from: number = -Infinity,
): ReadonlyMap<string, TrafficShare> {
  const counts = statistics.series.map((series) => [series.name, acceptedSince(series, from)] as const);
  const sum = counts.reduce((total, [, count]) => total + count, 0);
  return new Map(
    counts.map(([keyId, requests]) => [keyId, { requests, share: sum === 0 ? undefined : requests / sum }]),
  );
}

function acceptedSince({ points }: StatisticsSeries, from: number): number {
  return points.reduce(
    (sum, { startsAt, accepted }) => (Date.parse(startsAt) >= from ? sum + accepted : sum),
    0,
  );
}
