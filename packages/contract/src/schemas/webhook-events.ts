import { z } from 'zod';
import { keyDueStages, webhookFailingStages } from '../notice-kinds.ts';
import {
  type WebhookDataName,
  type WebhookEventType,
  webhookEventTypeNames,
  webhookEventTypes,
} from '../webhook-event-types.ts';
import { alertData } from './alert-rules.ts';
import { auditEvent } from './audit-events.ts';
import { clientId, fingerprint, type Shape, timestamp } from './parts.ts';

const { actor, targets, before, after, sourceAddress, requestId } = auditEvent.shape;

const failure = {
  requestId: z.string().describe('The first of these requests.'),
  problem: z.string().describe('Why it was rejected: the code of the problem.'),
  isProved: z.boolean().describe('Whether its signature was valid, so that the client sent it.'),
  sourceAddress: z.string().describe('The address that it came from.'),
};

/** A client's rate limit as it was when someone was told that the client exceeded it. */
export const rateLimit = {
  requestsPerMinuteMax: z
    .nullable(z.int())
    .describe('The requests a minute that the client may make on average; null for no limit any more.'),
  requestsBurstMax: z.int().describe('The requests that it may make in a burst.'),
};

/** The `data` of events. Receivers ignore members that they do not know: later versions add some. */
export const webhookData = {
  change: z
    .object({ actor, targets, before, after, sourceAddress, requestId })
    .describe('A change, as the audit log shows it.'),
  keyDue: z
    .object({
      clientId,
      keyId: z.string().describe('The key.'),
      fingerprint,
      stage: z.enum(keyDueStages).describe('Why it needs attention.'),
      dueAt: timestamp.describe('When it should be rotated, or expires.'),
    })
    .describe('A key that should be rotated or expires soon. Sent once for each stage.'),
  requestsFailing: z
    .object({ clientId, failure: z.optional(z.object(failure)).describe('The first rejected request.') })
    .describe('Rejected requests that name a client. Strangers can cause them; `isProved` says if not.'),
  requestsRecovered: z
    .object({
      clientId,
      problem: z
        .optional(z.string())
        .describe('Why its requests were rejected: `failure.problem` of `client.requests_failing`.'),
      since: timestamp.describe('When the first of them was rejected.'),
      recoveredAt: timestamp.describe('When its requests began to be accepted again.'),
    })
    .describe(
      'Since `recoveredAt`, at least 15 minutes ago, requests were accepted, and none was rejected for this reason. Sent once for each `client.requests_failing`.',
    ),
  addressRefused: z
    .object({
      clientId,
      failure: z.object(failure).describe('The first rejected request.'),
      sourceAddresses: z.array(z.string()).describe('The addresses, at most ten.'),
    })
    .describe("Requests with valid signatures from addresses that the client's whitelist rejected that day."),
  rateLimited: z
    .object({
      clientId,
      ...rateLimit,
      at: timestamp.describe('When the first request was rejected.'),
      requestId: z.string().describe('This request.'),
      sourceAddress: z.string().describe('The address that it came from.'),
    })
    .describe('Requests with valid signatures that were rejected with `rate_limited`.'),
  firstRequest: z
    .object({
      clientId,
      keyId: z.optional(z.string()).describe('The key that signed it, if it is known.'),
      fingerprint: z.optional(fingerprint),
      at: timestamp.describe('When it arrived.'),
      sourceAddress: z.string().describe('The address that it came from; empty if that is unknown.'),
      requestId: z.optional(z.string()).describe('The request; absent if it is not in the request log.'),
    })
    .describe("A client's first accepted request. Sent once for each client."),
  webhookFailing: z
    .object({
      webhookId: z.string().describe('The webhook that fails, never the one that gets this event.'),
      url: z.string().describe('Its URL.'),
      stage: z.enum(webhookFailingStages).describe('How long it has failed, at least.'),
      failingSince: timestamp.describe('The first failed attempt since the last success.'),
      disabledAfter: timestamp.describe('It is disabled at the first failed attempt after this time.'),
    })
    .describe('A webhook whose receiver fails. Sent once for each stage.'),
  stream: z
    .object({
      stream: z.string().describe('The name of the stream.'),
      source: z.enum(['audit', 'requests']).describe('What it sends.'),
      since: timestamp.describe('When the first attempt failed.'),
      problem: z.optional(z.string()).describe('Why the last attempt failed.'),
    })
    .describe("A stream of the operator's. Sent to the operator's webhooks only."),
  alert: z
    .object(alertData)
    .describe("An alert of one of the account's rules. `alert.resolved` has `resolvedAt` too."),
  test: z
    .object({ webhookId: z.string().describe('The webhook that was tested.') })
    .describe('A test that someone asked for.'),
} as const satisfies Readonly<Record<WebhookDataName, z.ZodType>>;

/** The `data` of one kind of event. */
export type WebhookData<Name extends WebhookDataName = WebhookDataName> = Shape<(typeof webhookData)[Name]>;

/** An event as receivers get it: the body of the request. */
export const webhookEvent = z
  .object({
    id: z.string().describe('The ID of the event, the same each time that it is sent, also in `webhook-id`.'),
    type: z.string().describe('Its type.'),
    createdAt: timestamp.describe('When it happened.'),
    accountId: z.string().describe('The account in which it happened.'),
    data: z.record(z.string(), z.unknown()).describe('What happened. The fields depend on the type.'),
  })
  .describe('An event.');

export type WebhookEvent = Shape<typeof webhookEvent>;

const ids = {
  client: 'client_01k9xq2v6h4mz7c1r8t0w5n3bd',
  key: 'key_01k9xq30f8a2bq6d5y7e1s4jkm',
  account: 'account_01k9xpz1t7v3nw8c2h6r5d0efg',
  request: 'request_01k9xq41n2c7p8w3e5t6y9u0ab',
  webhook: 'webhook_01k9xq5a7b8c9d0e1f2g3h4jkm',
} as const;

const exampleFailure = {
  requestId: ids.request,
  problem: 'network_not_allowed',
  isProved: true,
  sourceAddress: '198.51.100.7',
};

const examples: { readonly [Name in Exclude<WebhookDataName, 'change'>]: WebhookData<Name> } = {
  keyDue: {
    clientId: ids.client,
    keyId: ids.key,
    fingerprint: 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
    stage: 'rotation_due',
    dueAt: '2026-11-30T09:00:00.000Z',
  },
  requestsFailing: { clientId: ids.client, failure: { ...exampleFailure, problem: 'signature_invalid' } },
  requestsRecovered: {
    clientId: ids.client,
    problem: 'signature_invalid',
    since: '2026-11-20T08:05:00.000Z',
    recoveredAt: '2026-11-20T08:44:00.000Z',
  },
  addressRefused: { clientId: ids.client, failure: exampleFailure, sourceAddresses: ['198.51.100.7'] },
  rateLimited: {
    clientId: ids.client,
    requestsPerMinuteMax: 600,
    requestsBurstMax: 100,
    at: '2026-11-20T08:59:48.000Z',
    requestId: ids.request,
    sourceAddress: '198.51.100.7',
  },
  firstRequest: {
    clientId: ids.client,
    keyId: ids.key,
    fingerprint: 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
    at: '2026-11-20T09:00:00.000Z',
    sourceAddress: '198.51.100.7',
    requestId: ids.request,
  },
  webhookFailing: {
    webhookId: ids.webhook,
    url: 'https://hooks.example.com/countersign',
    stage: 'one_day',
    failingSince: '2026-11-19T09:00:00.000Z',
    disabledAfter: '2026-11-24T09:00:00.000Z',
  },
  stream: {
    stream: 'siem',
    source: 'audit',
    since: '2026-11-20T08:55:00.000Z',
    problem: 'The receiver answered with status 503.',
  },
  alert: {
    alertRuleId: 'alertrule_01k9xqb1c2d3e4f5g6h7j8kmnp',
    name: 'Payouts fail',
    condition: { kind: 'failure_rate', percentAbove: 20, requestsMin: 50, minutes: 15 },
    alertId: 'alert_01k9xqc1d2e3f4g5h6j7kmnpqr',
    clientId: ids.client,
    firedAt: '2026-11-20T09:00:00.000Z',
    value: 34.2,
    requests: 120,
  },
  test: { webhookId: ids.webhook },
};

function exampleChange(type: WebhookEventType): WebhookData<'change'> {
  const family = type.slice(0, type.indexOf('.'));
  const client = { type: 'client', id: ids.client } as const;
  const account = { type: 'account', id: ids.account } as const;
  const byFamily = {
    client: [client],
    network: [client],
    key: [{ type: 'key', id: ids.key } as const, client],
    role: [{ type: 'role', id: 'role_01k9xq6m3n4p5q6r7s8t9v0wxy' } as const],
    member: [{ type: 'member', id: 'person_01k9xq7a1b2c3d4e5f6g7h8jkm' } as const],
    invitation: [{ type: 'invitation', id: 'invitation_01k9xq8a1b2c3d4e5f6g7h8jkm' } as const],
    alert_rule: [{ type: 'alert_rule', id: 'alertrule_01k9xqb1c2d3e4f5g6h7j8kmnp' } as const],
    webhook: [{ type: 'webhook', id: ids.webhook } as const],
  };
  const of = Object.hasOwn(byFamily, family) ? byFamily[family as keyof typeof byFamily] : [account];
  return {
    actor: { kind: 'client', id: 'client_01k9xq9a1b2c3d4e5f6g7h8jkm' },
    targets: of,
    ...(type.endsWith('.updated') && { before: { name: 'Billing' }, after: { name: 'Invoices' } }),
    sourceAddress: '203.0.113.10',
    requestId: ids.request,
  };
}

/** Returns an example of each type of event. */
export function webhookEventExamples(): readonly WebhookEvent[] {
  return webhookEventTypeNames.map((type, index) => {
    const { data } = webhookEventTypes[type];
    return {
      id: `event_01k9xqa0b1c2d3e4f5g6h7j8k${'0123456789abcdefghjkmnpqrstvwxyz'.charAt(index % 32)}`,
      type,
      createdAt: '2026-11-20T09:00:00.000Z',
      accountId: ids.account,
      data: data === 'change' ? exampleChange(type) : examples[data],
    };
  });
}
