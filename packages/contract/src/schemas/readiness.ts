import { z } from 'zod';
import { readinessLimits } from '../limits.ts';
import { page, type Shape, timestamp } from './parts.ts';
import { exportParameters, pageParameters, text } from './query-parameters.ts';

const { daysDefault, quietHours } = readinessLimits;

const codeCount = z.strictObject({
  outcome: z.string().describe('The code of the refusals.'),
  count: z.int().describe('How many requests.'),
});

const codes = z.array(codeCount).describe('The refusals by their codes: the most frequent come first.');

const clientReadiness = z
  .strictObject({
    clientId: z.string().describe('The client that the requests name.'),
    name: z.string().describe('What people call it.'),
    status: z
      .enum(['active', 'disabled'])
      .describe('`disabled`: routes that enforce refuse all its requests.'),
    readiness: z
      .enum(['ready', 'not_ready', 'silent'])
      .describe(
        `\`ready\`: a request was accepted in the time, and none was refused in this hour and the ${quietHours} hours before. ` +
          '`silent`: no request was accepted or refused in the time. `not_ready`: anything else.',
      ),
    accepted: z.int().describe('How many requests passed every check.'),
    refused: z.int().describe('How many requests a check refused, or would have refused.'),
    observed: z.int().describe('How many of the refused ones passed, because their routes only observe.'),
    codes,
    lastAcceptedAt: z
      .optional(timestamp)
      .describe('When a request of the client last passed every check, also before the time.'),
    lastRefusal: z
      .optional(
        z.strictObject({
          requestId: z.string().describe('The request.'),
          receivedAt: timestamp.describe('When it began.'),
          outcome: z.string().describe('The code.'),
          isObserved: z.boolean().describe('True if it passed, because its route only observes.'),
          sourceAddress: z.string().describe('Where it came from; anyone can claim to be a client.'),
        }),
      )
      .describe('The last request that a check refused or would have refused, if it is kept.'),
  })
  .describe('Whether the requests of a client pass the checks, so that its routes can enforce them.');

const since = {
  ...exportParameters.from,
  summary: `Since when, in whole days (UTC); ${daysDefault} days ago unless set`,
};

export const readinessSchemas = {
  ReadinessPage: page(
    clientReadiness,
    'A page of clients with their readiness.',
    'The clients that are active or disabled, in the order of their ids.',
  ),
  UnattributedRequests: z
    .strictObject({
      items: z
        .array(
          z.strictObject({
            source: z
              .string()
              .describe('An IPv4 address, or the /64 network of IPv6 addresses, such as `2001:db8::/64`.'),
            requests: z.int().describe('How many requests.'),
            codes,
            lastAt: timestamp.describe('When the last one came.'),
            lastRequestId: z.string().describe('The last one, as the log of the service has it.'),
          }),
        )
        .describe('Those with the most requests come first, at most 100.'),
      otherRequests: z
        .int()
        .describe('How many more requests passed, from other sources or from too many to tell apart.'),
    })
    .describe(
      'The requests that name no client and passed, because their routes only observe, by where they came from.',
    ),
};

export const readinessQueries = {
  ReadinessQuery: {
    ...pageParameters,
    from: since,
    accountId: text(
      'accountId',
      64,
      "For the operator only: the clients of this account; the caller's own unless set",
    ),
  },
  UnattributedRequestQuery: { from: since },
};

export type ClientReadiness = Shape<typeof clientReadiness>;
export type UnattributedRequests = Shape<typeof readinessSchemas.UnattributedRequests>;
export type UnattributedSource = UnattributedRequests['items'][number];
export type CodeCount = Shape<typeof codeCount>;
