import { z } from 'zod';
import { timestampSchema } from '../pages.ts';
import { exportParameters, oneOf, type QueryParameter, text } from '../query-parameters.ts';

/** How long one point of the statistics is: an hour or a day, both in UTC. */
export type StatisticsInterval = (typeof statisticsIntervals)[number];

/** What requests are counted apart by. */
export type StatisticsGrouping = (typeof statisticsGroupings)[number];

/** How many requests there were in one interval. */
export interface StatisticsPoint {
  readonly startsAt: string;
  readonly accepted: number;
  readonly refused: number;
}

/** The counts of one thing, all intervals in their order. */
export interface StatisticsSeries {
  /** The outcome, the keyId or the clientId by which is counted; empty for all requests together. */
  readonly name: string;
  readonly points: readonly StatisticsPoint[];
}

/** How many requests the clients of an account made, and how many of them were refused. */
export interface RequestStatistics {
  readonly interval: StatisticsInterval;
  /** Where the first point starts. */
  readonly from: string;
  /** Where the last point ends. */
  readonly to: string;
  /** Those with the most requests first; one, of all requests, when they are not counted apart. */
  readonly series: readonly StatisticsSeries[];
}

const statisticsIntervals = ['hour', 'day'] as const;
const statisticsGroupings = ['outcome', 'key', 'client'] as const;

/** How much of the statistics one answer has. */
export const statisticsLimits: {
  readonly seriesMax: number;
  readonly clientsMax: number;
  /** Of all series together: there are fewer series of many points. */
  readonly pointsMax: number;
  readonly hoursMax: number;
  readonly daysMax: number;
} = { seriesMax: 100, clientsMax: 100, pointsMax: 20_000, hoursMax: 31 * 24, daysMax: 400 };

/** Describes statistics in answers. */
export const requestStatisticsSchema: z.ZodType<RequestStatistics> = z.strictObject({
  interval: z.enum(statisticsIntervals),
  from: timestampSchema,
  to: timestampSchema,
  series: z.array(
    z.strictObject({
      name: z.string(),
      points: z.array(z.strictObject({ startsAt: timestampSchema, accepted: z.int(), refused: z.int() })),
    }),
  ),
});

/** The query of `GET /v1/request-statistics`. */
export interface StatisticsParameters {
  readonly interval: QueryParameter<StatisticsInterval>;
  readonly by: QueryParameter<StatisticsGrouping>;
  readonly clientId: QueryParameter<string>;
  readonly from: QueryParameter<number>;
  readonly to: QueryParameter<number>;
}

/** What is counted, and when. */
export const statisticsParameters: StatisticsParameters = {
  interval: oneOf('interval', statisticsIntervals, 'How long one point is, `hour` unless set'),
  by: oneOf('by', statisticsGroupings, 'What to count apart; all requests together unless set'),
  clientId: text(
    'clientId',
    16_000,
    'Only requests that name this client, or one of these: at most 100, with a space between',
  ),
  from: {
    ...exportParameters.from,
    summary: 'Where to begin; 24 hours before the end unless set, for days 30 days before it',
  },
  to: { ...exportParameters.to, summary: 'Where to end; now unless set' },
};
