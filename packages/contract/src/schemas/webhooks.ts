import { z } from 'zod';
import { webhookLimits } from '../limits.ts';
import { isReadableText, plainPatterns } from '../readable-text.ts';
import { type WebhookEventType, webhookEventTypeNames } from '../webhook-event-types.ts';
import { webhookFailures } from '../webhook-failures.ts';
import {
  headerNamePattern,
  headerValuePattern,
  isWebhookHeaderValue,
  problemsOfHeaderNames,
} from '../webhook-headers.ts';
import {
  accountId,
  body,
  createdAt,
  limited,
  page,
  type Shape,
  time,
  timestamp,
  updatedAt,
} from './parts.ts';
import { exportParameters, oneOf, pageParameters, text } from './query-parameters.ts';
import { webhookEvent } from './webhook-events.ts';

const { descriptionCharactersMax, urlCharactersMax, keptDays } = webhookLimits;
const { headersMax, headerNameCharactersMax, headerValueCharactersMax, attemptsPerMinuteMax } = webhookLimits;

/** The states of a webhook. */
export const webhookStatuses = ['active', 'paused', 'disabled'] as const;
/** The states of a delivery. */
export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;
/** The deliveries that a recovery sends again. */
export const recoveryScopes = ['failed', 'all'] as const;

const urlText = 'The URL that events are sent to: https, a public host, no port.';
const eventTypesText = 'The types of events that are sent; null for all types, also later ones.';
const orderText =
  "Whether a client's events are sent one after the other: one that fails holds the client's later ones back.";
const allAccountsText =
  "Operator only: whether events of all accounts are sent, not only the operator's own.";

const headersText = `Custom headers, sent with each event: at most ${headersMax}, as names with values. Values are never shown again.`;
const rateText =
  'The number of attempts per minute that the webhook gets at most; null for no limit. Events beyond it wait.';

const activity = z
  .strictObject({
    lastDelivery: z
      .optional(
        z.strictObject({
          deliveryId: z.string().describe('The ID of the delivery.'),
          eventType: z.string().describe('The type of its event.'),
          state: z.enum(deliveryStates).describe('Its state.'),
          attemptCount: z.int().describe('The number of attempts so far.'),
          createdAt,
        }),
      )
      .describe('The delivery of the newest event; absent if there is none.'),
    lastDay: z
      .strictObject({
        delivered: z.int().describe('Deliveries that arrived.'),
        failing: z.int().describe('Deliveries that failed, or have not arrived after at least one attempt.'),
        waiting: z.int().describe('Deliveries that have not been attempted yet.'),
        isComplete: z
          .boolean()
          .describe(`False if there are more: only the newest ${webhookLimits.countedMax} are counted.`),
      })
      .describe('The deliveries of the last 24 hours, by what became of them.'),
  })
  .describe('How deliveries went.');

const webhook = z
  .strictObject({
    webhookId: z.string().describe('The ID of the webhook.'),
    accountId,
    url: z.string().describe(urlText),
    description: z.string().describe('What it is for.'),
    eventTypes: z.nullable(z.array(z.string())).describe(eventTypesText),
    isOrdered: z.boolean().describe(orderText),
    isForAllAccounts: z.boolean().describe(allAccountsText),
    headerNames: z
      .array(z.string())
      .describe('The names of its custom headers, in lower case. Their values are secret.'),
    attemptsPerMinuteMax: z.nullable(z.int()).describe(rateText),
    status: z
      .enum(webhookStatuses)
      .describe(
        '`paused`: events wait. `disabled`: the service gave up; events are not sent, and can be recovered.',
      ),
    disabledReason: z.optional(z.string()).describe('Why it was disabled; only then.'),
    failingSince: z
      .optional(timestamp)
      .describe('The first failed attempt since the last success; absent if the last attempt succeeded.'),
    activity: z
      .optional(activity)
      .describe('How its deliveries went. Only when webhooks are read or listed.'),
    createdAt,
    updatedAt,
    previousSecretEndsAt: z
      .optional(timestamp)
      .describe('Until when the secret from before a rotation also signs; absent if it does not.'),
    secret: z
      .optional(z.string())
      .describe(
        'The secret of its `webhook-signature`, `whsec_` and Base64. Only in the response that makes it: store it.',
      ),
  })
  .describe('A URL that an account is told its events at.');

const url = z
  .string({ error: 'Write the URL as text.' })
  .max(urlCharactersMax, { error: `Write a URL of at most ${urlCharactersMax} characters.` });
const descriptionAdvice = `Write a description of at most ${descriptionCharactersMax} characters without control characters, or leave it out.`;
const description = z
  .string({ error: descriptionAdvice })
  .refine((value) => isReadableText(value, descriptionCharactersMax), { error: descriptionAdvice })
  .meta({ maxLength: descriptionCharactersMax, pattern: plainPatterns.line });
const typeAdvice = ({ input }: { readonly input?: unknown }): string => {
  const named = typeof input === 'string' && /^[\w.-]{1,64}$/.test(input) ? ` ${input}` : '';
  return `There is no type of events${named}. GET /v1/webhook-event-types has them all, and so has: countersign webhooks types.`;
};
const eventTypes = z.nullable(
  z
    .array(z.enum(webhookEventTypeNames as [WebhookEventType], { error: typeAdvice }), {
      error: 'Write the types of events as a list, or null for all.',
    })
    .min(1, { error: 'Name at least one type of events, or write null for all.' })
    .max(webhookEventTypeNames.length, { error: 'Name each type once.' }),
);
const includeAdvice = 'Write failed, or all to send delivered events again too.';
const afterAdvice = 'Write `next` of the response before, or leave it out.';
const boolean = z.boolean({ error: 'Write true or false.' });
const headerName = z.string().meta({
  minLength: 1,
  maxLength: headerNameCharactersMax,
  pattern: headerNamePattern.source,
});
const headerValueAdvice = `Write a value of 1 to ${headerValueCharactersMax} visible ASCII characters; spaces and tabs only between them.`;
const headerValue = z
  .string({ error: headerValueAdvice })
  .refine(isWebhookHeaderValue, { error: headerValueAdvice })
  .meta({ minLength: 1, maxLength: headerValueCharactersMax, pattern: headerValuePattern.source });
const headersError = { error: 'Write the custom headers as an object with text values.' };
const checkNames = (headers: object, context: z.RefinementCtx): void => {
  for (const { name, detail } of problemsOfHeaderNames(Object.keys(headers)))
    context.addIssue({ code: 'custom', path: name === undefined ? [] : [name], message: detail });
};
const headers = z.record(headerName, headerValue, headersError).superRefine(checkNames);
const headerChanges = z.record(headerName, z.nullable(headerValue), headersError).superRefine(checkNames);
const rate = z.nullable(
  limited(
    attemptsPerMinuteMax,
    `Write a whole number of attempts from 1 to ${attemptsPerMinuteMax}, or null for no limit.`,
  ),
);
const overlapAdvice = `Write the overlap as whole seconds from 0 to ${webhookLimits.overlapSecondsMax}.`;
const receivedAdvice = `Write a list of at most ${webhookLimits.pulledMax} IDs of events.`;
const waitAdvice = `Write whole seconds from 0 to ${webhookLimits.pullSecondsMax}.`;
const expiresAt = timestamp.describe('When the listener ends, unless it pulls before.');
const listener = z
  .strictObject({
    listenerId: z.string().describe('The ID of the listener.'),
    eventTypes: z.nullable(z.array(z.string())).describe('The types of events that it gets; null for all.'),
    expiresAt,
  })
  .describe('A program that pulls events, for a while.');
const dryRun = z
  .optional(boolean)
  .describe('True to change nothing, and learn what the request would do. Default false.');

const delivery = {
  deliveryId: z.string().describe('The ID of the delivery: of one event to one webhook.'),
  webhookId: z.string().describe('The webhook.'),
  eventId: z.string().describe('The event.'),
  eventType: z.string().describe('The type of the event.'),
  clientId: z.optional(z.string()).describe('The client that the event is about, if any.'),
  state: z
    .enum(deliveryStates)
    .describe('`waiting` for its next attempt, `delivered`, or `failed` for good.'),
  attemptCount: z.int().describe('The number of attempts so far.'),
  createdAt,
  nextAttemptAt: z.nullable(timestamp).describe('When it is sent next, at the earliest; null if it is not.'),
};

const attempt = z
  .strictObject({
    attemptedAt: timestamp.describe('When it began.'),
    durationMs: z.int().describe('How long it took, in milliseconds.'),
    url: z.string().describe('The URL that it was sent to.'),
    requestHeaders: z
      .record(z.string(), z.string())
      .describe('The header fields that were sent. The values of custom headers are replaced by `(hidden)`.'),
    status: z.optional(z.int()).describe("The answer's status; absent without an answer."),
    answer: z
      .optional(z.string())
      .describe('The first 4 KiB of the answer, as UTF-8. It comes from the receiver: trust nothing in it.'),
    failure: z
      .optional(z.enum(webhookFailures))
      .describe(
        'The kind of failure; absent for a success. `address_not_public` is also a name that does not resolve.',
      ),
    problem: z.optional(z.string()).describe('Why it failed, in a sentence; absent for a success.'),
    nextAttemptAt: z.nullable(timestamp).describe('When the next one was due then; null if none was.'),
  })
  .describe('One request to a receiver.');

const webhookDelivery = z
  .strictObject(delivery)
  .describe(`An event on its way to a webhook. Kept for ${keptDays} days.`);

const webhookEventType = z
  .strictObject({
    type: z.string().describe('Its name, as in `eventTypes` of a webhook.'),
    title: z.string().describe('The event, in one sentence.'),
    description: z.string().describe('What `data` of the event is.'),
    permission: z.string().describe('What someone needs who wants such events.'),
    version: z
      .int()
      .describe(
        'The version of `data`. Members that are added do not change it; nothing else changes within one.',
      ),
    schema: z.record(z.string(), z.unknown()).describe('The JSON Schema (2020-12) of the whole event.'),
    example: webhookEvent.describe('Such an event.'),
  })
  .describe('A type of events.');

export const webhookSchemas = {
  WebhookEventTypePage: page(
    webhookEventType,
    'The catalogue of events.',
    'All types. Types are added, never renamed or removed.',
  ),
  Webhook: webhook,
  WebhookPage: page(webhook, 'A page of webhooks.', 'The webhooks, oldest first.'),
  WebhookRequest: body(
    {
      url: url.describe(urlText),
      description: z.optional(description).describe('What it is for.'),
      eventTypes: z.optional(eventTypes).describe(`${eventTypesText} Default null.`),
      isOrdered: z.optional(boolean).describe(`${orderText} Default false.`),
      isForAllAccounts: z.optional(boolean).describe(`${allAccountsText} Default false.`),
      headers: z.optional(headers).describe(headersText),
      attemptsPerMinuteMax: z.optional(rate).describe(`${rateText} Default null.`),
      isPaused: z.optional(boolean).describe('True to add it paused. Default false.'),
      dryRun,
    },
    'The webhook to add.',
    { url: 'https://hooks.example.com/countersign', eventTypes: ['key.due', 'key.expired'] },
  ),
  WebhookChange: body(
    {
      url: z.optional(url).describe(urlText),
      description: z.optional(description).describe('What it is for.'),
      eventTypes: z.optional(eventTypes).describe(eventTypesText),
      isOrdered: z.optional(boolean).describe(orderText),
      isForAllAccounts: z.optional(boolean).describe(allAccountsText),
      headers: z
        .optional(headerChanges)
        .describe(
          `${headersText} Null removes one; others are not changed. Only if the URL changes to another origin, others are removed, so that no other server learns them.`,
        ),
      attemptsPerMinuteMax: z.optional(rate).describe(rateText),
      dryRun,
    },
    'The fields to change (JSON merge patch, RFC 7396).',
    { eventTypes: null },
  ),
  WebhookSecretRotation: body(
    {
      overlapSeconds: z
        .optional(
          z
            .int({ error: overlapAdvice })
            .min(0, { error: overlapAdvice })
            .max(webhookLimits.overlapSecondsMax, { error: overlapAdvice }),
        )
        .describe(
          'How long the previous secret also signs; 0 to end it immediately. Default: 24 hours. Of an earlier rotation, the secret from before it ends immediately.',
        ),
    },
    'How to change the secret.',
    { overlapSeconds: 172_800 },
  ),
  WebhookListenerRequest: body(
    { eventTypes: z.optional(eventTypes).describe('The types of events to pull. Default null: all.') },
    'What to listen to.',
    { eventTypes: ['key.due'] },
  ),
  WebhookListener: listener,
  WebhookPull: body(
    {
      received: z
        .optional(
          z
            .array(z.string({ error: receivedAdvice }).max(64, { error: receivedAdvice }), {
              error: receivedAdvice,
            })
            .max(webhookLimits.pulledMax, { error: receivedAdvice }),
        )
        .describe('The IDs of events that the caller has received, and does not want again.'),
      waitSeconds: z
        .optional(
          z
            .int({ error: waitAdvice })
            .min(0, { error: waitAdvice })
            .max(webhookLimits.pullSecondsMax, { error: waitAdvice }),
        )
        .describe('How long to wait if there is no event yet. Default 0.'),
    },
    'What was received, and how long to wait.',
    { received: ['event_01k9xqa0b1c2d3e4f5g6h7j8k0'], waitSeconds: 10 },
  ),
  WebhookPulled: z
    .strictObject({
      events: z
        .array(webhookEvent)
        .describe(
          `The oldest events that wait, at most ${webhookLimits.pulledMax}. They wait until they are named in \`received\`.`,
        ),
      expiresAt,
    })
    .describe('The events of one pull.'),
  WebhookDelivery: webhookDelivery,
  WebhookDeliveryPage: page(webhookDelivery, 'A page of deliveries.', 'The deliveries, newest first.'),
  WebhookDeliveryDetails: z
    .strictObject({
      ...delivery,
      event: webhookEvent.describe('The body of each request.'),
      attempts: z.array(attempt).describe('The attempts, newest first, at most 50.'),
    })
    .describe('A delivery with its event and its attempts.'),
  WebhookRecovery: body(
    {
      since: time.describe('Deliveries of events from this time on are sent again.'),
      until: z.optional(time).describe('Only of events before this time. Default: no end.'),
      include: z
        .optional(z.enum(recoveryScopes, { error: includeAdvice }))
        .describe(
          '`failed`: those that failed, for good or with more attempts to come. `all`: also those that were delivered; the receiver recognizes the IDs of their events. Default `failed`.',
        ),
      eventTypes: z.optional(eventTypes).describe('Only these types of events. Default null: all types.'),
      after: z
        .optional(z.string({ error: afterAdvice }).max(64, { error: afterAdvice }))
        .describe('To continue: `next` of the response before.'),
    },
    'What to send again.',
    { since: '2026-11-21T12:00:00Z', until: '2026-11-21T15:00:00Z', include: 'all' },
  ),
  WebhookRecovered: z
    .strictObject({
      recovered: z.int().describe('The number of deliveries that wait again.'),
      isComplete: z
        .boolean()
        .describe(
          `False if there are more than the ${webhookLimits.recoveredMax} of one request: repeat it, with \`next\` as \`after\`.`,
        ),
      next: z.nullable(z.string()).describe('Where to continue; null if it is complete.'),
    })
    .describe('What is sent again.'),
};

export const webhookQueries = {
  WebhookQuery: {
    ...pageParameters,
    accountId: text(
      'accountId',
      64,
      "Operator only: the webhooks of this account. Default: the caller's own",
    ),
  },
  WebhookDeliveryQuery: {
    ...pageParameters,
    state: oneOf('state', deliveryStates, 'Only deliveries in this state'),
    eventType: oneOf('eventType', webhookEventTypeNames, 'Only events of this type'),
    from: exportParameters.from,
    to: exportParameters.to,
  },
};

export type Webhook = Shape<typeof webhook>;
export type WebhookEventTypeEntry = Shape<typeof webhookEventType>;
export type WebhookActivity = Shape<typeof activity>;
export type WebhookListener = Shape<typeof listener>;
export type WebhookPulled = Shape<typeof webhookSchemas.WebhookPulled>;
export type WebhookStatus = (typeof webhookStatuses)[number];
export type WebhookRequest = Shape<typeof webhookSchemas.WebhookRequest>;
export type WebhookChange = Shape<typeof webhookSchemas.WebhookChange>;
export type WebhookDelivery = Shape<typeof webhookDelivery>;
export type WebhookDeliveryDetails = Shape<typeof webhookSchemas.WebhookDeliveryDetails>;
export type WebhookAttempt = Shape<typeof attempt>;
export type RecoveryScope = (typeof recoveryScopes)[number];
export type WebhookRecovery = Shape<typeof webhookSchemas.WebhookRecovery>;
export type WebhookRecovered = Shape<typeof webhookSchemas.WebhookRecovered>;
export type DeliveryState = (typeof deliveryStates)[number];
