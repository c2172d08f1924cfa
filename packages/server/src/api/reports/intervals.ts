import { type StatisticsInterval, statisticsLimits } from '@countersign/contract';
import { spanMs } from '../../request-log/counts/request-counts.ts';
import { queryInvalid } from '../request-query.ts';

/**
 * Returns the starts of all intervals that a time range touches. Without a start, it covers 24 hours or 30 days.
 *
 * @throws ProblemError `query_invalid`
 */
export function startsOf(interval: StatisticsInterval, from: number | undefined, to: number): number[] {
  const step = spanMs[interval];
  const end = Math.ceil(to / step) * step;
  const begin = from === undefined ? end - defaultSpans[interval] * step : Math.floor(from / step) * step;
  const spans = (end - begin) / step;
  if (spans <= 0) throw queryInvalid('from is a time before to');
  const spansMax = interval === 'hour' ? statisticsLimits.hoursMax : statisticsLimits.daysMax;
  if (spans > spansMax) throw queryInvalid(`from to is at most ${spansMax} ${interval}s`);
  return Array.from({ length: spans }, (_, index) => begin + index * step);
}

const defaultSpans = { hour: 24, day: 30 } as const;
