import { z } from 'zod';
import { type Shape, timestamp } from './parts.ts';
import { exportParameters, oneOf, text } from './query-parameters.ts';

const intervals = ['hour', 'day'] as const;
const groupings = ['outcome', 'key', 'client'] as const;

export const requestStatisticsSchemas = {
  RequestStatistics: z
    .strictObject({
      interval: z.enum(intervals).describe('How long one point is.'),
      from: timestamp.describe('Where the first point starts.'),
      to: timestamp.describe('Where the last point ends.'),
      series: z
        .array(
          z.strictObject({
            name: z
              .string()
              .describe('The outcome, the keyId or the clientId; empty for all requests together.'),
            points: z
              .array(
                z.strictObject({
                  startsAt: timestamp.describe('When the interval begins.'),
                  accepted: z.int().describe('How many requests passed every check.'),
                  observed: z
                    .int()
                    .describe(
                      'How many requests failed a check and passed, because their routes only observe.',
                    ),
                  refused: z.int().describe('How many requests were refused.'),
                }),
              )
              .describe('Every interval in its order, those without requests too.'),
          }),
        )
        .describe(
          'One for all requests, or one for each thing that is counted apart: at most 100, and fewer of many points. Those with the most requests come first.',
        ),
    })
    .describe('How many requests the clients of an account made, hour by hour or day by day (UTC).'),
};

export const requestStatisticsQueries = {
  RequestStatisticsQuery: {
    interval: oneOf('interval', intervals, 'How long one point is, `hour` unless set'),
    by: oneOf('by', groupings, 'What to count apart; all requests together unless set'),
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
  },
};

export type RequestStatistics = Shape<typeof requestStatisticsSchemas.RequestStatistics>;
export type StatisticsSeries = RequestStatistics['series'][number];
export type StatisticsPoint = StatisticsSeries['points'][number];
export type StatisticsInterval = (typeof intervals)[number];
export type StatisticsGrouping = (typeof groupings)[number];
