import { z } from 'zod';
import { readinessLimits } from '../limits.ts';
import { page, type Shape, timestamp } from './parts.ts';
import { exportParameters, pageParameters, text } from './query-parameters.ts';

const { daysDefault, quietHours } = readinessLimits;

const codeCount = z.strictObject({
  outcome: z.string().describe('The code of the rejections.'),
  count: z.int().describe('The number of requests.'),
});

const codes = z.array(codeCount).describe('The rejections by code, most frequent first.');

const clientReadiness = z
  .strictObject({
    clientId: z.string().describe('The client that the requests name.'),
    name: z.string().describe('Its name.'),
    status: z.enum(['active', 'disabled']).describe('`disabled`: enforcing routes reject all its requests.'),
    readiness: z
      .enum(['ready', 'not_ready', 'silent'])
      .describe(
        `\`ready\`: a request was accepted in this period, and none was rejected in the current hour and the ${quietHours} hours before. ` +
          '`silent`: no request was accepted or rejected in this period. `not_ready`: anything else.',
      ),
    accepted: z.int().describe('How many requests passed every check.'),
    refused: z.int().describe('How many requests were rejected, or would have been on an enforcing route.'),
    observed: z.int().describe('How many of those were let through because their routes only observe.'),
    codes,
    lastAcceptedAt: z
      .optional(timestamp)
      .describe("When one of the client's requests last passed every check, even before `from`."),
    lastRefusal: z
      .optional(
        z.strictObject({
          requestId: z.string().describe('The request.'),
          receivedAt: timestamp.describe('When it arrived.'),
          outcome: z.string().describe('The code.'),
          isObserved: z.boolean().describe('True if it was let through because its route only observes.'),
          sourceAddress: z.string().describe('Where it came from. Anyone can claim to be the client.'),
        }),
      )
      .describe(
        'The last request that was rejected, or would have been on an enforcing route, if it is still stored.',
      ),
  })
  .describe("Whether a client's requests pass the checks, so that its routes can enforce them.");

const since = {
  ...exportParameters.from,
  summary: `Start, in whole days (UTC). Default: ${daysDefault} days ago`,
};

export const readinessSchemas = {
  ReadinessPage: page(
    clientReadiness,
    'A page of clients with their readiness.',
    'The active and disabled clients, sorted by client ID.',
  ),
  UnattributedRequests: z
    .strictObject({
      items: z
        .array(
          z.strictObject({
            source: z
              .string()
              .describe('An IPv4 address, or the /64 network of IPv6 addresses, such as `2001:db8::/64`.'),
            requests: z.int().describe('The number of requests.'),
            codes,
            lastAt: timestamp.describe('When the last one arrived.'),
            lastRequestId: z.string().describe("The ID of the last one, as in the service's log."),
          }),
        )
        .describe('The sources with the most requests first, at most 100.'),
      otherRequests: z
        .int()
        .describe(
          'How many more requests were let through, from other sources or from too many to count separately.',
        ),
    })
    .describe(
      'The sources of requests that name no client and were let through because their routes only observe.',
    ),
};

export const readinessQueries = {
  ReadinessQuery: {
    ...pageParameters,
    from: since,
    accountId: text('accountId', 64, "Operator only: the clients of this account. Default: the caller's own"),
  },
  UnattributedRequestQuery: { from: since },
};

export type ClientReadiness = Shape<typeof clientReadiness>;
export type UnattributedRequests = Shape<typeof readinessSchemas.UnattributedRequests>;
export type UnattributedSource = UnattributedRequests['items'][number];
export type CodeCount = Shape<typeof codeCount>;
