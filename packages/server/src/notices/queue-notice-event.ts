import { newId, type WebhookData, type WebhookEventType } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { queueEvent } from '../registry/store/queue-event.ts';
import type { Schema } from '../storage/schema.ts';
import type { NewNotice, NoticeContent } from './add-notice.ts';

/**
 * Queues the event of a new notice for the webhooks that want it, in the notice's transaction. Notices of changes have none:
 * webhooks get the change itself.
 */
export async function queueNoticeEvent(transaction: Transaction<Schema>, notice: NewNotice): Promise<void> {
  const event = eventOf(notice);
  if (event === undefined) return;
  const { accountId, clientId, happenedAtMs, content } = notice;
  await queueEvent(transaction, {
    ...event,
    eventId: newId('event', happenedAtMs),
    accountId,
    clientId,
    happenedAtMs,
    aboutWebhookId: content?.webhook?.webhookId,
  });
}

interface NoticeEvent {
  readonly type: WebhookEventType;
  readonly data: WebhookData<
    'keyDue' | 'requestsFailing' | 'addressRefused' | 'rateLimited' | 'webhookFailing'
  >;
}

function eventOf({ kind, clientId = '', happenedAtMs, content = {} }: NewNotice): NoticeEvent | undefined {
  const { key, failure, sourceAddresses = [], rateLimit, webhook } = content;
  switch (kind) {
    case 'key_due':
      return key && { type: 'key.due', data: { clientId, ...key } };
    case 'first_failure':
      return {
        type: 'client.requests_failing',
        data: { clientId, ...(failure && { failure: shownFailure(failure) }) },
      };
    case 'refused_address':
      return (
        failure && {
          type: 'client.address_refused',
          data: { clientId, failure: shownFailure(failure), sourceAddresses: [...sourceAddresses] },
        }
      );
    case 'rate_limited': {
      if (failure === undefined || rateLimit === undefined) return undefined;
      const { requestId, sourceAddress } = failure;
      const at = new Date(happenedAtMs).toISOString();
      return { type: 'client.rate_limited', data: { clientId, ...rateLimit, at, requestId, sourceAddress } };
    }
    case 'webhook_failing':
      return webhook && { type: 'webhook.failing', data: webhook };
    // Queued when the stream is marked as stalled, and when the alert fires.
    case 'stream_stalled':
    case 'alert':
    case 'change_waiting':
    case 'team_changed':
    case 'policy_changed':
      return undefined;
  }
}

function shownFailure({
  outcome,
  requestId,
  isProved,
  sourceAddress,
}: NonNullable<NoticeContent['failure']>): WebhookData<'addressRefused'>['failure'] {
  return { requestId, problem: outcome, isProved, sourceAddress };
}
