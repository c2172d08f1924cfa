import { type Period, periods, type RollingPeriod, type TimeRange } from '@countersign/contract';

export {
  type Period,
  queryText,
  readTimeRange,
  type RollingPeriod,
  type TimeRange,
  writeTimeRange,
} from '@countersign/contract';

const hourMs = 3_600_000;
const periodMs: Readonly<Record<RollingPeriod, number>> = {
  '1h': hourMs,
  '24h': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
  '30d': 30 * 24 * hourMs,
};

/**
 * Returns the periods worth offering for a list that goes back some days, 0 for forever: no rolling one that is
 * longer than another that shows everything already.
 */
export function periodsWithin(days: number): readonly Period[] {
  const keptMs = days === 0 ? Number.POSITIVE_INFINITY : days * 24 * hourMs;
  return periods.filter((period, index) => {
    const shorter = periods[index - 1];
    return period === 'custom' || shorter === undefined || shorter === 'custom' || periodMs[shorter] < keptMs;
  });
}

/** Converts a period into parameters of the API. */
export function timeRangeQuery(
  { period, from, to }: TimeRange,
  nowMs: number,
): { readonly from?: string; readonly to?: string } {
  const since = period === 'custom' ? from : new Date(nowMs - periodMs[period]).toISOString();
  return { ...(since !== undefined && { from: since }), ...(to !== undefined && { to }) };
}
