import { z } from 'zod';
import { auditEvent } from './audit-events.ts';
import { page, type Shape, timestamp } from './parts.ts';
import { requestSearchMax, requestSorts } from '../request-search.ts';
import { exportParameters, oneOf, text } from './query-parameters.ts';

const requestEntry = z
  .strictObject({
    requestId: z.string().describe('The name of the request, as its answer told it.'),
    receivedAt: timestamp.describe('When it began.'),
    accountId: z.string().describe('The account of the client.'),
    clientId: z.string().describe('The client that the request named; proved only where `isProved`.'),
    isProved: z
      .boolean()
      .describe('Whether the signature was valid, so that the request came from the client.'),
    outcome: z.string().describe('`accepted`, or the code of the refusal. Every check before it was passed.'),
    isObserved: z
      .boolean()
      .describe(
        'True if the request was not refused: its route only observes, and let it pass in spite of the `outcome`.',
      ),
    reason: z
      .optional(z.string())
      .describe('What is wrong with the request, for its owner: more than the caller was told.'),
    method: z.string().describe('The method of the request.'),
    url: z
      .string()
      .describe('The path, and the names of the query parameters; values only where the operator allows it.'),
    status: z.int().describe('The status of the answer.'),
    sourceAddress: z.string().describe('Where the request came from.'),
    keyFingerprint: z
      .optional(z.string())
      .describe(
        'The key that verified the signature: `SHA256:` and the Base64 of the SHA-256 over the DER of the SubjectPublicKeyInfo.',
      ),
    clockDifferenceSeconds: z.optional(z.number()).describe('`created` minus the clock of the service.'),
    durationMs: z.optional(z.number()).describe('How long the answer took.'),
  })
  .describe('What is kept of a request: never its body, its signature or a header.');

/** The parameters that say which requests are meant. */
const requestFilters = {
  from: exportParameters.from,
  to: exportParameters.to,
  search: text(
    'search',
    requestSearchMax,
    'Only requests that this text describes: words such as `/v1/payments`, `203.0.113.7`, `401`, `request_…`, `SHA256:…`, a code or part of a client name, each optionally with its kind, as in `status:4xx client:"Acme Ltd" after:2026-11-21`',
  ),
  clientId: text('clientId', 256, 'Only requests that name this client'),
  outcome: text(
    'outcome',
    64,
    'Only `accepted` ones, only `refused` ones, only `observed` ones (which passed although a check failed), or only those with this code',
  ),
  status: text('status', 3, 'Only answers with this status, such as `401`, or of this class, such as `4xx`'),
  accountId: text(
    'accountId',
    64,
    "For the operator only: the requests of this account; the caller's own unless set",
  ),
};

export const requestSchemas = {
  RequestEntry: requestEntry,
  RequestPage: page(requestEntry, 'A page of requests.', 'The requests, newest first.'),

  RequestTotals: z
    .strictObject({
      count: z.int().describe('How many requests.'),
      accepted: z.int().describe('How many of them passed every check.'),
      observed: z.int().describe('How many failed a check and passed, because their routes only observe.'),
      refused: z.int().describe('How many were refused.'),
      isComplete: z
        .boolean()
        .describe('False when there were so many requests that only the newest 100,000 were looked at.'),
    })
    .describe('How many requests the parameters select.'),
  RequestFailures: z
    .strictObject({
      items: z
        .array(
          z.strictObject({
            outcome: z.string().describe('The code of the refusals.'),
            isObserved: z
              .boolean()
              .describe('True if the requests passed, because their routes only observe.'),
            clientId: z.string().describe('The client that the requests named.'),
            clientName: z.optional(z.string()).describe('What people call it; not when it is gone.'),
            count: z.int().describe('How many requests.'),
            firstAt: timestamp.describe('When the first one came.'),
            lastAt: timestamp.describe('When the last one came.'),
            lastRequestId: z.string().describe('The last one.'),
            sourceAddresses: z.array(z.string()).describe('Where the newest came from: at most 5 addresses.'),
            reason: z.optional(z.string()).describe('What was wrong with the last one, for its owner.'),
          }),
        )
        .describe('The groups: those that happened last come first, at most 100.'),
      isComplete: z
        .boolean()
        .describe('False when there were so many requests that only the newest were looked at.'),
    })
    .describe(
      'Recent rejections, grouped by client and code. Requests that observing routes let pass are in separate groups.',
    ),
  RefusedAddresses: z
    .strictObject({
      items: z
        .array(
          z.strictObject({
            clientId: z.string().describe('The client whose signature was valid.'),
            clientName: z.string().describe('What people call it.'),
            sourceAddress: z.string().describe('Where its requests came from.'),
            count: z.int().describe('How many requests.'),
            lastAt: timestamp.describe('When the last one came.'),
            lastRequestId: z.string().describe('The last one.'),
          }),
        )
        .describe('Those that were refused last come first, at most 100.'),
    })
    .describe(
      'The addresses from which signed requests were refused by network whitelists in 7 days, and that these do not allow now.',
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
        '`request`, `change`, `gap` when more happened than is told, or `ping` when nothing else is told for a while.',
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
      'The member to sort by, with `-` before it for the highest first; `-receivedAt` unless set',
    ),
  },
  RequestTotalsQuery: requestFilters,
  RequestFailureQuery: {
    clientId: text('clientId', 256, 'Only requests that name this client'),
    from: { ...exportParameters.from, summary: 'Since when; the last 24 hours unless set' },
  },
  RefusedAddressQuery: {
    clientId: text('clientId', 256, 'Only addresses from which this client was refused'),
  },
  /** A browser cannot name the account in a header with this request. */
  LiveEventQuery: {
    account: { ...text('account', 64, 'The account whose events are told'), isRequired: true },
  },
} as const;

export type RequestEntry = Shape<typeof requestEntry>;

export type RequestTotals = Shape<typeof requestSchemas.RequestTotals>;
export type RequestFailures = Shape<typeof requestSchemas.RequestFailures>;
export type FailureGroup = RequestFailures['items'][number];
export type RefusedAddresses = Shape<typeof requestSchemas.RefusedAddresses>;
export type RefusedAddress = RefusedAddresses['items'][number];
export type LiveEvent = Shape<typeof requestSchemas.LiveEvent>;
