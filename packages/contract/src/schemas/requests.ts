import { z } from 'zod';
import { auditEvent } from './audit-events.ts';
import { page, type Shape, timestamp } from './parts.ts';
import { requestsCountedMax } from '../limits.ts';
import { requestSearchMax, requestSorts } from '../request-search.ts';
import { exportParameters, oneOf, text } from './query-parameters.ts';

const requestEntry = z
  .strictObject({
    requestId: z.string().describe("The request's ID, as in its response."),
    receivedAt: timestamp.describe('When it arrived.'),
    accountId: z.string().describe('The account of the client.'),
    clientId: z.string().describe('The client that the request named; proved only if `isProved` is true.'),
    isProved: z
      .boolean()
      .describe('Whether the signature was valid, which proves that the request came from the client.'),
    outcome: z.string().describe('`accepted`, or the code of the rejection. All earlier checks passed.'),
    isObserved: z
      .boolean()
      .describe(
        'True if the request was let through in spite of the `outcome`, because its route only observes.',
      ),
    reason: z
      .optional(z.string())
      .describe('What is wrong with the request, for its owner: more than the caller was told.'),
    findingCode: z
      .optional(z.string())
      .describe('The mistake in a rejected request; missing if none was found, or nobody has searched.'),
    method: z.string().describe('The method.'),
    url: z
      .string()
      .describe('The path and the names of the query parameters; values only if the operator allows it.'),
    status: z.int().describe('The response status.'),
    sourceAddress: z.string().describe('Where the request came from.'),
    keyFingerprint: z
      .optional(z.string())
      .describe(
        'The key that verified the signature: `SHA256:` and the Base64-encoded SHA-256 of its DER-encoded SubjectPublicKeyInfo.',
      ),
    clockDifferenceSeconds: z.optional(z.number()).describe("`created` minus the service's clock."),
    durationMs: z.optional(z.number()).describe('The response time.'),
  })
  .describe('What is stored about a request: never its body, signature or headers.');

/** The parameters that select requests. */
const requestFilters = {
  from: exportParameters.from,
  to: exportParameters.to,
  search: text(
    'search',
    requestSearchMax,
    'Only requests that match these words, such as `/v1/payments`, `203.0.113.7`, `401`, `request_…`, `SHA256:…`, a code or part of a client name, each optionally with its kind, as in `status:4xx client:"Acme Ltd" after:2026-11-21`',
  ),
  clientId: text('clientId', 256, 'Only requests that name this client'),
  outcome: text(
    'outcome',
    64,
    'Only `accepted` requests, only `refused` ones, only `observed` ones (let through although a check failed), or only those with this code',
  ),
  status: text(
    'status',
    3,
    'Only responses with this status, such as `401`, or of this class, such as `4xx`',
  ),
  finding: text('finding', 64, 'Only rejected requests with this mistake, which is their `findingCode`'),
  accountId: text('accountId', 64, "Operator only: the requests of this account. Default: the caller's own"),
};

export const requestSchemas = {
  RequestEntry: requestEntry,
  RequestPage: page(requestEntry, 'A page of requests.', 'The requests, newest first.'),

  RequestTotals: z
    .strictObject({
      count: z.int().describe('The number of requests.'),
      accepted: z.int().describe('How many of them passed every check.'),
      observed: z
        .int()
        .describe('How many failed a check but were let through because their routes only observe.'),
      refused: z.int().describe('How many were rejected.'),
      isComplete: z
        .boolean()
        .describe(
          `False if there were so many requests that only the newest ${requestsCountedMax.toLocaleString('en')} were counted.`,
        ),
    })
    .describe('The number of requests that match the parameters.'),
  RequestFailures: z
    .strictObject({
      items: z
        .array(
          z.strictObject({
            outcome: z.string().describe('The code of the rejections.'),
            findingCode: z
              .optional(z.string())
              .describe('The mistake in these requests; missing if none was found, or nobody has searched.'),
            isObserved: z
              .boolean()
              .describe('True if the requests were let through because their routes only observe.'),
            clientId: z.string().describe('The client that the requests named.'),
            clientName: z.optional(z.string()).describe('Its name; missing if it no longer exists.'),
            count: z.int().describe('The number of requests.'),
            firstAt: timestamp.describe('When the first one arrived.'),
            lastAt: timestamp.describe('When the last one arrived.'),
            lastRequestId: z.string().describe('The ID of the last one.'),
            sourceAddresses: z.array(z.string()).describe('Where the newest came from: at most 5 addresses.'),
            reason: z.optional(z.string()).describe('What was wrong with the last one, for its owner.'),
          }),
        )
        .describe('The groups, most recent first, at most 100.'),
      isComplete: z
        .boolean()
        .describe('False if there were so many requests that only the newest were counted.'),
    })
    .describe(
      'Recent rejections, grouped by client, code and mistake. Requests that observing routes let through are in separate groups.',
    ),
  RefusedAddresses: z
    .strictObject({
      items: z
        .array(
          z.strictObject({
            clientId: z.string().describe('The client whose signature was valid.'),
            clientName: z.string().describe('Its name.'),
            sourceAddress: z.string().describe('Where its requests came from.'),
            count: z.int().describe('The number of requests.'),
            lastAt: timestamp.describe('When the last one arrived.'),
            lastRequestId: z.string().describe('The ID of the last one.'),
          }),
        )
        .describe('The most recently rejected first, at most 100.'),
    })
    .describe(
      'The addresses whose signed requests were rejected by network whitelists in the last 7 days, and that are still not allowed.',
    ),

  LiveEvent: z
    .discriminatedUnion('event', [
      liveEvent('request', requestEntry),
      liveEvent('change', auditEvent),
      liveEvent('gap', z.strictObject({})),
      liveEvent('ping', z.strictObject({})),
    ])
    .describe('One event of the stream: `event` and `data` are its lines, and `data` is JSON.'),
};

function liveEvent<const Name extends string, Data extends z.ZodType>(
  event: Name,
  data: Data,
): z.ZodObject<{ event: z.ZodLiteral<Name>; data: Data }, z.core.$strict> {
  return z.strictObject({
    event: z
      .literal(event)
      .describe(
        '`request`, `change`, `gap` if events were skipped, or `ping` if there was nothing to send for a while.',
      ),
    data: data.describe('The request or the audit event; empty for the others.'),
  });
}

export const requestQueries = {
  RequestQuery: {
    ...exportParameters,
    ...requestFilters,
    sort: oneOf(
      'sort',
      requestSorts,
      'The field to sort by, with `-` before it for descending order. Default: `-receivedAt`',
    ),
  },
  RequestTotalsQuery: requestFilters,
  RequestFailureQuery: {
    clientId: text('clientId', 256, 'Only requests that name this client'),
    from: { ...exportParameters.from, summary: 'Start. Default: 24 hours ago' },
  },
  RefusedAddressQuery: {
    clientId: text('clientId', 256, 'Only addresses from which this client was rejected'),
  },
  /** A browser cannot send the account in a header with this request. */
  LiveEventQuery: {
    account: { ...text('account', 64, 'The account whose events to stream'), isRequired: true },
  },
} as const;

export type RequestEntry = Shape<typeof requestEntry>;

export type RequestTotals = Shape<typeof requestSchemas.RequestTotals>;
export type RequestFailures = Shape<typeof requestSchemas.RequestFailures>;
export type FailureGroup = RequestFailures['items'][number];
export type RefusedAddresses = Shape<typeof requestSchemas.RefusedAddresses>;
export type RefusedAddress = RefusedAddresses['items'][number];
export type LiveEvent = Shape<typeof requestSchemas.LiveEvent>;
