import { z } from 'zod';
import { type Shape, timestamp } from './parts.ts';
import { exportParameters, oneOf, text } from './query-parameters.ts';

/** The lengths of the intervals in which requests are counted. */
export const intervals = ['hour', 'day'] as const;
const groupings = ['outcome', 'key', 'client'] as const;

export const requestStatisticsSchemas = {
  RequestStatistics: z
    .strictObject({
      interval: z.enum(intervals).describe('The length of an interval.'),
      from: timestamp.describe('Start of the first interval.'),
      to: timestamp.describe('End of the last interval.'),
      series: z
        .array(
          z.strictObject({
            name: z
              .string()
              .describe('The outcome, the key ID or the client ID; empty for all requests together.'),
            points: z
              .array(
                z.strictObject({
                  startsAt: timestamp.describe('Start of the interval.'),
                  accepted: z.int().describe('How many requests passed every check.'),
                  observed: z
                    .int()
                    .describe(
                      'How many requests failed a check but were let through because their routes only observe.',
                    ),
                  refused: z.int().describe('How many requests were rejected.'),
                }),
              )
              .describe('All intervals in order, including those without requests.'),
          }),
        )
        .describe(
          'One series for all requests, or one per group: at most 100, and fewer if they have many points. Those with the most requests come first.',
        ),
    })
    .describe("The number of requests of an account's clients, per hour or day (UTC)."),
};

export const requestStatisticsQueries = {
  RequestStatisticsQuery: {
    interval: oneOf('interval', intervals, 'Length of an interval. Default: `hour`'),
    by: oneOf('by', groupings, 'What to group by. Default: all requests together'),
    clientId: text(
      'clientId',
      16_000,
      'Only requests that name this client, or one of up to 100, separated by spaces',
    ),
    from: {
      ...exportParameters.from,
      summary: 'Start. Default: 24 hours before the end, or 30 days with `day`',
    },
    to: { ...exportParameters.to, summary: 'End. Default: now' },
  },
};

export type RequestStatistics = Shape<typeof requestStatisticsSchemas.RequestStatistics>;
export type StatisticsSeries = RequestStatistics['series'][number];
export type StatisticsPoint = StatisticsSeries['points'][number];
export type StatisticsInterval = (typeof intervals)[number];
export type StatisticsGrouping = (typeof groupings)[number];
