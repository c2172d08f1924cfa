import {
  type AnalyticsFact,
  analyticsFacts,
  type AnalyticsGroup,
  analyticsLimits,
  type ExportFormat,
  type RequestAnalytics,
  type RequestTimes,
} from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import {
  noVerdicts,
  otherValues,
  type RequestFigures,
  sumOf,
  totalOf,
  type Verdicts,
} from '../../registry/request-figures.ts';
import { percentileOf } from '../../registry/time-classes.ts';
import { spanMs } from '../../request-log/counts/request-counts.ts';
import { firstFiguresAt, readRequestFigures } from '../../request-log/counts/request-figures.ts';
import { timestamp } from '../timestamp.ts';
import { exportedLines } from './export.ts';
import { startsOf } from './intervals.ts';
import { defineReports } from './report-handlers.ts';

export const analyticsReports = defineReports((database) => ({
  /** Lags a few seconds behind. Reads one row per interval, however many requests there were. */
  getRequestAnalytics: async ({ query }, { caller, nowMs }) => {
    const { interval = 'hour', by, clientId, format = 'json' } = query;
    const step = spanMs[interval];
    const startsAtMs = startsOf(interval, query.from, query.to ?? nowMs);
    const before = startsAtMs.map((start) => start - startsAtMs.length * step);
    const filter = { accountId: caller.accountId, clientId, span: interval };
    const figures = await readRequestFigures(database, {
      ...filter,
      startsAtMs: [...before, ...startsAtMs],
    });
    const of = (starts: readonly number[]): RequestFigures[] =>
      starts.flatMap((start) => figures.get(start) ?? []);
    const since = await firstFiguresAt(database, filter);
    const end = (starts: readonly number[]): number => (starts.at(-1) ?? 0) + step;
    const [now, earlier] = [of(startsAtMs), of(before)];
    const facts = by === undefined ? analyticsFacts : [by];
    const body: RequestAnalytics = {
      interval,
      from: timestamp(startsAtMs[0] ?? 0),
      to: timestamp(end(startsAtMs)),
      ...(since !== undefined && { since: timestamp(since) }),
      groups: facts.map((fact) => groupOf(fact, now)),
      times: timesOf(now),
      before: {
        from: timestamp(before[0] ?? 0),
        to: timestamp(end(before)),
        times: timesOf(earlier),
      },
      points: startsAtMs.map((start) => {
        const { p99Ms: _p99Ms, ...times } = timesOf(of([start]));
        return { startsAt: timestamp(start), ...times };
      }),
    };
    return format === 'json' ? { status: 200, body } : exported(body, format);
  },
}));

/** Sums up the verdicts by value, and keeps those of the values with the most requests. */
function groupOf(by: AnalyticsFact, figures: readonly RequestFigures[]): AnalyticsGroup {
  const sums = new Map<string, Verdicts>();
  for (const { values } of figures)
    for (const [name, verdicts] of values.get(by)!)
      sums.set(name, sumOf(sums.get(name) ?? noVerdicts, verdicts));
  const other = sums.get(otherValues) ?? noVerdicts;
  sums.delete(otherValues);
  const sorted = [...sums].toSorted(
    ([one, its], [another, others]) => totalOf(others) - totalOf(its) || (one < another ? -1 : 1),
  );
  const { valuesMax } = analyticsLimits;
  return {
    by,
    values: sorted.slice(0, valuesMax).map(([name, verdicts]) => ({ name, ...verdicts })),
    other: sorted.slice(valuesMax).reduce((sum, [, verdicts]) => sumOf(sum, verdicts), other),
  };
}

function timesOf(figures: readonly RequestFigures[]): RequestTimes {
  const counts = new Map<number, number>();
  for (const { times } of figures)
    for (const [timeClass, count] of times) counts.set(timeClass, (counts.get(timeClass) ?? 0) + count);
  const count = [...counts.values()].reduce((sum, some) => sum + some, 0);
  if (count === 0) return { count };
  const at = (share: number): number => Math.round(percentileOf(counts, share)! * 1000) / 1000;
  return { count, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

/** Returns a row for each value, and one without a name for the others. */
async function exported(
  { groups }: RequestAnalytics,
  format: Exclude<ExportFormat, 'json'>,
): Promise<Answer<never>> {
  const rows = groups.flatMap(({ by, values, other }) => [
    ...values.map((value) => ({ by, ...value })),
    ...(totalOf(other) > 0 ? [{ by, name: '', ...other }] : []),
  ]);
  return exportedLines(rows, format, ['by', 'name', 'accepted', 'observed', 'refused']);
}
