import type { RequestStatistics, StatisticsSeries } from '@countersign/contract';

/** The share of a client's accepted requests signed with one key. */
export interface TrafficShare {
  readonly requests: number;
  /** From 0 to 1; undefined without accepted requests. */
  readonly share: number | undefined;
}

/**
 * Splits a client's accepted requests by key.
 *
 * @param statistics counted by key
 * @param from the start in milliseconds; all points by default
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
