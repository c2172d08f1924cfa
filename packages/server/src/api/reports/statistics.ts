import {
  isClientId,
  type RequestStatistics,
  statisticsLimits,
  type StatisticsSeries,
} from '@countersign/contract';
import { countRequests, type RequestCount, spanMs } from '../../request-log/counts/request-counts.ts';
import { queryInvalid } from '../request-query.ts';
import { timestamp } from '../timestamp.ts';
import { startsOf } from './intervals.ts';
import { defineReports } from './report-handlers.ts';

export const statisticsReports = defineReports((database) => ({
  /** Lags a few seconds behind. */
  getRequestStatistics: async ({ query }, request) => {
    const { interval = 'hour', by } = query;
    const startsAtMs = startsOf(interval, query.from, query.to ?? request.nowMs);
    const counts = await countRequests(database, {
      accountId: request.caller.accountId,
      clientIds: query.clientId === undefined ? undefined : clientIdsOf(query.clientId),
      by,
      span: interval,
      startsAtMs,
    });
    if (counts === undefined) {
      throw queryInvalid(
        'there are too many clients to count separately over this period: name some, or choose a shorter period',
      );
    }
    const body: RequestStatistics = {
      interval,
      from: timestamp(startsAtMs[0] ?? 0),
      to: timestamp((startsAtMs.at(-1) ?? 0) + spanMs[interval]),
      series: by === undefined ? [seriesOf('', startsAtMs, counts)] : largestSeries(startsAtMs, counts),
    };
    return { status: 200, body };
  },
}));

/** Client IDs contain no spaces. */
function clientIdsOf(text: string): string[] {
  const clientIds = [...new Set(text.split(' '))];
  if (clientIds.length > statisticsLimits.clientsMax || !clientIds.every(isClientId))
    throw queryInvalid(`clientId is at most ${statisticsLimits.clientsMax} clientIds with a space between`);
  return clientIds;
}

/** Returns the series with the most requests; equal ones are sorted by name. */
function largestSeries(startsAtMs: readonly number[], counts: readonly RequestCount[]): StatisticsSeries[] {
  const { seriesMax, pointsMax } = statisticsLimits;
  const total = (some: readonly RequestCount[]): number =>
    some.reduce((sum, { accepted, observed, refused }) => sum + accepted + observed + refused, 0);
  return [...Map.groupBy(counts, ({ name }) => name)]
    .map(([name, some]) => ({ name, some, total: total(some) }))
    .toSorted((one, other) => other.total - one.total || (one.name < other.name ? -1 : 1))
    .slice(0, Math.min(seriesMax, Math.floor(pointsMax / startsAtMs.length)))
    .map(({ name, some }) => seriesOf(name, startsAtMs, some));
}

function seriesOf(
  name: string,
  startsAtMs: readonly number[],
  counts: readonly RequestCount[],
): StatisticsSeries {
  const byStart = new Map(counts.map((count) => [count.startsAtMs, count]));
  const points = startsAtMs.map((start) => {
    const { accepted = 0, observed = 0, refused = 0 } = byStart.get(start) ?? {};
    return { startsAt: timestamp(start), accepted, observed, refused };
  });
  return { name, points };
}
