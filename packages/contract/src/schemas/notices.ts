import { z } from 'zod';
import { keyDueStages, noticeKindNames } from '../notice-kinds.ts';
import { auditEvent } from './audit-events.ts';
import { body, clientId, fingerprint, type Shape, time, timestamp } from './parts.ts';
import { oneOf, pageParameters } from './query-parameters.ts';
import { rateLimit, webhookData } from './webhook-events.ts';

const kindAdvice = `Write a kind of notice: ${noticeKindNames.join(', ')}.`;
const kind = z.enum(noticeKindNames, { error: kindAdvice }).describe('What it is about.');

const notice = z
  .strictObject({
    noticeId: z.string().describe("The notice's ID."),
    kind,
    happenedAt: timestamp.describe('When it first happened.'),
    lastHappenedAt: timestamp.describe('When it last happened.'),
    count: z.int().describe('How often it happened: repetitions are counted in one notice.'),
    isRead: z.boolean().describe('Whether the caller has read it.'),
    client: z
      .optional(z.strictObject({ clientId, name: z.string().describe('Its name now.') }))
      .describe('The client that it is about; absent if there are several or none.'),
    key: z
      .optional(
        z.strictObject({
          keyId: z.string().describe('The key ID.'),
          fingerprint,
          stage: z.enum(keyDueStages).describe('Why the key is due.'),
          dueAt: timestamp.describe('When the key should have been rotated, or when it expires.'),
        }),
      )
      .describe('Only of `key_due`: the key.'),
    failure: z
      .optional(
        z.strictObject({
          requestId: z.string().describe('The first of the requests; it may have left the request log.'),
          outcome: z.string().describe('The code with which it was rejected.'),
          isProved: z
            .boolean()
            .describe(
              'Whether its signature was valid. If not, anyone may have sent it: a clientId is not secret.',
            ),
          sourceAddress: z.string().describe('Where it came from; empty if that is unknown.'),
        }),
      )
      .describe(
        'Only of `first_failure`, `refused_address` and `rate_limited`: one of the rejected requests.',
      ),
    recoveredAt: z
      .optional(timestamp)
      .describe(
        'Only of `first_failure`, when requests began to be accepted again, known after 15 minutes; and of `stream_stalled`, when the stream was received again.',
      ),
    rateLimit: z.optional(z.strictObject(rateLimit)).describe('Only of `rate_limited`: the limit.'),
    sourceAddresses: z
      .optional(z.array(z.string()))
      .describe('Only of `refused_address`: the addresses, at most 10.'),
    webhook: z
      .optional(webhookData.webhookFailing.strict())
      .describe('Only of `webhook_failing`: the webhook.'),
    stream: z
      .optional(webhookData.stream.strict())
      .describe("Only of `stream_stalled`, in the operator's account: the stream."),
    alert: z.optional(webhookData.alert.strict()).describe('Only of `alert`: the alert, with its rule.'),
    event: z
      .optional(auditEvent)
      .describe(
        'Only of `team_changed`, `policy_changed` and `change_waiting`: the change, or the last of several.',
      ),
  })
  .describe('Something that happened in the account and may need attention.');

const unread = z.int().min(0).describe('How many notices the caller has not read yet.');

const preference = z
  .strictObject({
    kind,
    inInbox: z.boolean({ error: 'Write true or false.' }).describe("Whether the portal's inbox shows them."),
    byMail: z
      .boolean({ error: 'Write true or false.' })
      .describe('Whether they are sent by email, together with others.'),
  })
  .describe('How a person gets one kind of notice.');

const noticePage = z
  .strictObject({
    data: z.array(notice).describe('The notices, newest first.'),
    nextCursor: z.nullable(z.string()).describe('The `cursor` of the next page; null on the last page.'),
    unread,
  })
  .describe('A page of notices.');

export const noticeSchemas = {
  Notice: notice,
  NoticePage: noticePage,
  NoticesRead: body(
    {
      until: z
        .optional(time)
        .describe(
          'Only notices that were in the inbox at this time, so that none is marked as read unseen. Default: all.',
        ),
    },
    'Which notices were read.',
    { until: '2026-11-21T12:00:00Z' },
  ),
  NoticeCount: z.strictObject({ unread }).describe('How many notices are left.'),
  NoticePreferences: z
    .strictObject({
      preferences: z.array(preference).describe("Every kind that the caller's role can see."),
      isMailConfigured: z.boolean().describe('Whether the service can send email.'),
    })
    .describe('Which notices a person gets, in all accounts.'),
  NoticePreferencesChange: body(
    {
      preferences: z
        .array(preference, { error: 'Write a list of preferences.' })
        .min(1, { error: 'Write at least one preference.' })
        .max(noticeKindNames.length, { error: 'Write each kind of notice once.' })
        .refine((list) => new Set(list.map((one) => one.kind)).size === list.length, {
          error: 'Write each kind of notice once.',
        })
        .describe('The kinds to change; the others stay as they are.'),
    },
    'What to change.',
    { preferences: [{ kind: 'refused_address', inInbox: true, byMail: true }] },
  ),
};

export const noticeQueries = {
  NoticeQuery: {
    ...pageParameters,
    kind: oneOf('kind', noticeKindNames, 'Only notices of this kind'),
    show: oneOf(
      'show',
      ['all', 'unread'],
      'Only notices that the caller has not read, with `unread`. Default: `all`',
    ),
  },
};

export type Notice = Shape<typeof notice>;
export type NoticePage = Shape<typeof noticePage>;
export type NoticePreference = Shape<typeof preference>;
export type NoticePreferences = Shape<typeof noticeSchemas.NoticePreferences>;
export type NoticeCount = Shape<typeof noticeSchemas.NoticeCount>;
