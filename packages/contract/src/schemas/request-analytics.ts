import { z } from 'zod';
import { analyticsFacts } from '../analytics-facts.ts';
import { analyticsLimits } from '../limits.ts';
import { type Shape, timestamp } from './parts.ts';
import { exportParameters, oneOf, text } from './query-parameters.ts';
import { intervals } from './request-statistics.ts';

const verdicts = {
  accepted: z.int().describe('How many requests passed every check.'),
  observed: z
    .int()
    .describe('How many requests failed a check but were let through because their routes only observe.'),
  refused: z.int().describe('How many requests were rejected.'),
};

const milliseconds = z.optional(z.number());

const times = z
  .strictObject({
    count: z.int().describe('How many requests were timed: those that got a response.'),
    p50Ms: milliseconds.describe('Half of the requests took at most this long; missing if there were none.'),
    p95Ms: milliseconds.describe('95 percent of the requests took at most this long.'),
    p99Ms: milliseconds.describe('99 percent of the requests took at most this long.'),
  })
  .describe(
    "The service's own time in milliseconds, without the wait for the API behind it. Less than 10 percent off, because times are counted in classes.",
  );

export const requestAnalyticsSchemas = {
  RequestAnalytics: z
    .strictObject({
      interval: z.enum(intervals).describe('The length of an interval.'),
      from: timestamp.describe('Start of the first interval.'),
      to: timestamp.describe('End of the last interval.'),
      since: z
        .optional(timestamp)
        .describe(
          "Start of the first interval in which the account's requests were counted this way; missing if there is none.",
        ),
      groups: z
        .array(
          z.strictObject({
            by: z
              .enum(analyticsFacts)
              .describe(
                'What the requests are counted by: the configured `operation`, the response `status`, the code of the rejection (`cause`), the `key` that verified them, or the source `address`.',
              ),
            values: z
              .array(
                z.strictObject({
                  name: z.string().describe('The operation, status, code, key ID or address.'),
                  ...verdicts,
                }),
              )
              .describe(`Those with the most requests, at most ${analyticsLimits.valuesMax}.`),
            other: z
              .strictObject(verdicts)
              .describe(
                'The requests with other values. In each interval a limited number of values is counted separately. Requests that match no operation are here too.',
              ),
          }),
        )
        .describe('One group, or one for each way of counting.'),
      times,
      before: z
        .strictObject({
          from: timestamp.describe('Start of the period.'),
          to: timestamp.describe('End of the period.'),
          times,
        })
        .describe('The same length of time before.'),
      points: z
        .array(
          z.strictObject({
            startsAt: timestamp.describe('Start of the interval.'),
            count: z.int().describe('How many requests were timed.'),
            p50Ms: milliseconds.describe('As in `times`.'),
            p95Ms: milliseconds.describe('As in `times`.'),
          }),
        )
        .describe('The times of all intervals in order, including those without requests.'),
    })
    .describe(
      "The requests of an account's clients, counted by their facts when they were logged, and the service's own time.",
    ),
};

export const requestAnalyticsQueries = {
  RequestAnalyticsQuery: {
    interval: oneOf('interval', intervals, 'Length of an interval. Default: `hour`'),
    by: oneOf('by', analyticsFacts, 'What to count by. Default: everything'),
    clientId: text('clientId', 256, 'Only requests that name this client'),
    from: {
      ...exportParameters.from,
      summary: 'Start. Default: 24 hours before the end, or 30 days with `day`',
    },
    to: { ...exportParameters.to, summary: 'End. Default: now' },
    format: {
      ...exportParameters.format,
      summary: 'Output format; other formats have the groups only. Default: `json`',
    },
  },
};

export type RequestAnalytics = Shape<typeof requestAnalyticsSchemas.RequestAnalytics>;
export type AnalyticsGroup = RequestAnalytics['groups'][number];
export type RequestTimes = Shape<typeof times>;
