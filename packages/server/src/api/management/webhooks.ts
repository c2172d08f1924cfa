import {
  pageLimits,
  type Webhook,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookDeliveryDetails,
} from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { Selectable } from 'kysely';
import {
  addTestEvent,
  type DeliveryRecord,
  listAttempts,
  listDeliveries,
  readDelivery,
  recoverDeliveries,
  resendDelivery,
} from '../../registry/store/webhook-deliveries.ts';
import {
  addWebhook,
  listWebhooks,
  moveWebhook,
  readWebhook,
  removeWebhook,
  updateWebhook,
  type WebhookRecord,
} from '../../registry/store/webhooks.ts';
import type { WebhookAttemptsTable } from '../../registry/webhook-tables.ts';
import { bodyInvalid } from '../../request-bodies/request-body.ts';
import { checkWebhookUrl } from '../../webhooks/webhook-url.ts';
import { listedAccount, readableAccount } from '../caller-scope.ts';
import { dryRun } from '../dry-run.ts';
import { entityTag } from '../entity-tag.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { pageOf, placeOf } from '../page.ts';
import { timestamp } from '../timestamp.ts';

/** URLs that an account is told its events at. */
export const webhookHandlers = defineHandlers(({ database, change, webhooks }) => {
  const { trustedOrigins, secrets } = webhooks;
  const checkUrl = (url: string | undefined): void => {
    if (url === undefined) return;
    const checked = checkWebhookUrl(url, trustedOrigins);
    if (!checked.ok) throw bodyInvalid([{ pointer: '/url', detail: checked.message }]);
  };
  const readVisible = (request: ApiRequest): Promise<WebhookRecord> =>
    readWebhook(database, webhookIdOf(request), readableAccount(request));

  return {
    listWebhooks: async ({ query: { accountId, ...query } }, request) => {
      const { limit, afterId } = placeOf(query, 'webhook');
      const listed = await listedAccount(request, accountId, database);
      const rows = await listWebhooks(database, { accountId: listed, afterId, limit: limit + 1 });
      const body = pageOf(rows, limit, ({ webhookId }) => webhookId, showWebhook);
      return { status: 200, body };
    },

    addWebhook: ({ body: { dryRun: isDryRun = false, ...content } }, request) => {
      checkUrl(content.url);
      return dryRun(isDryRun, (end) =>
        change(request, async (transaction, context) => {
          const secret = secrets.create();
          const webhook = await addWebhook(
            transaction,
            request.caller.accountId,
            {
              url: content.url,
              description: content.description ?? '',
              eventTypes: content.eventTypes ?? null,
              isOrdered: content.isOrdered ?? false,
              isForAllAccounts: content.isForAllAccounts ?? false,
              isPaused: content.isPaused ?? false,
              sealSecret: (webhookId) => secrets.seal(webhookId, secret),
            },
            context,
          );
          const answer = webhookAnswer(webhook);
          const location = { Location: `/v1/webhooks/${webhook.webhookId}` };
          return end({
            status: 201,
            headers: { ...answer.headers, ...location },
            body: { ...showWebhook(webhook), ...(!isDryRun && { secret }) },
          });
        }),
      );
    },

    getWebhook: async (_input, request) => webhookAnswer(await readVisible(request)),

    updateWebhook: ({ body: { dryRun: isDryRun = false, ...content } }, request) => {
      const webhookId = webhookIdOf(request);
      checkUrl(content.url);
      return dryRun(isDryRun, (end) =>
        change(request, async (transaction, context) =>
          end(webhookAnswer(await updateWebhook(transaction, webhookId, content, context))),
        ),
      );
    },

    /** Responds with the webhook as it was. */
    removeWebhook: (_input, request) =>
      change(request, async (transaction, context) => ({
        status: 200,
        body: showWebhook(await removeWebhook(transaction, webhookIdOf(request), context)),
      })),

    pauseWebhook: (_input, request) =>
      change(request, async (transaction, context) =>
        webhookAnswer(await moveWebhook(transaction, webhookIdOf(request), 'paused', context)),
      ),

    resumeWebhook: (_input, request) =>
      change(request, async (transaction, context) =>
        webhookAnswer(await moveWebhook(transaction, webhookIdOf(request), 'active', context)),
      ),

    testWebhook: (_input, request) =>
      change(request, async (transaction, context) => ({
        status: 201,
        body: showDelivery(await addTestEvent(transaction, webhookIdOf(request), context)),
      })),

    recoverWebhook: ({ body: { since } }, request) =>
      change(request, async (transaction, context) => {
        const from = { webhookId: webhookIdOf(request), sinceMs: Date.parse(since) };
        return { status: 200, body: await recoverDeliveries(transaction, from, context) };
      }),

    listWebhookDeliveries: async ({ query: { state, ...query } }, request) => {
      const { webhookId } = await readVisible(request);
      const { limit = pageLimits.limitDefault, afterId: beforeId } = placeOf(query, 'delivery');
      const rows = await listDeliveries(database, { webhookId, state, beforeId, limit: limit + 1 });
      return { status: 200, body: pageOf(rows, limit, ({ deliveryId }) => deliveryId, showDelivery) };
    },

    getWebhookDelivery: async (_input, request) => {
      const { webhookId } = await readVisible(request);
      const delivery = await readDelivery(database, webhookId, deliveryIdOf(request));
      const attempts = await listAttempts(database, delivery.deliveryId);
      return { status: 200, body: showDetails(delivery, attempts.map(showAttempt)) };
    },

    resendWebhookDelivery: (_input, request) =>
      change(request, async (transaction, context) => {
        const ids = { webhookId: webhookIdOf(request), deliveryId: deliveryIdOf(request) };
        return { status: 200, body: showDelivery(await resendDelivery(transaction, ids, context)) };
      }),
  };
});

function webhookIdOf(request: ApiRequest): string {
  return idInPath(request, 'webhookId', 'webhook');
}

function deliveryIdOf(request: ApiRequest): string {
  return idInPath(request, 'deliveryId', 'delivery');
}

function webhookAnswer(webhook: WebhookRecord): Answer<Webhook> {
  return { status: 200, headers: { ETag: entityTag(webhook.version) }, body: showWebhook(webhook) };
}

function showWebhook(webhook: WebhookRecord): Webhook {
  const { version: _version, disabledReason, failingSinceMs, createdAtMs, updatedAtMs, ...shown } = webhook;
  return {
    ...shown,
    ...(disabledReason !== undefined && { disabledReason }),
    ...(failingSinceMs !== undefined && { failingSince: timestamp(failingSinceMs) }),
    createdAt: timestamp(createdAtMs),
    updatedAt: timestamp(updatedAtMs),
  };
}

function showDelivery(delivery: DeliveryRecord): WebhookDelivery {
  const { deliveryId, webhookId, eventId, eventType, clientId, state, attemptCount } = delivery;
  const { createdAtMs, nextAttemptAtMs } = delivery;
  return {
    deliveryId,
    webhookId,
    eventId,
    eventType,
    ...(clientId !== undefined && { clientId }),
    state,
    attemptCount,
    createdAt: timestamp(createdAtMs),
    nextAttemptAt: nextAttemptAtMs === undefined ? null : timestamp(nextAttemptAtMs),
  };
}

function showDetails(delivery: DeliveryRecord, attempts: readonly WebhookAttempt[]): WebhookDeliveryDetails {
  const { eventId: id, eventType: type, accountId, createdAtMs, data } = delivery;
  return {
    ...showDelivery(delivery),
    event: {
      id,
      type,
      createdAt: timestamp(createdAtMs),
      accountId,
      data: JSON.parse(data) as Record<string, unknown>,
    },
    attempts,
  };
}

function showAttempt(row: Selectable<WebhookAttemptsTable>): WebhookAttempt {
  return {
    attemptedAt: timestamp(row.attempted_at_ms),
    durationMs: row.duration_ms,
    url: row.url,
    requestHeaders: JSON.parse(row.request_headers) as Record<string, string>,
    ...(row.status !== null && { status: row.status }),
    ...(row.answer !== null && { answer: row.answer }),
    ...(row.problem !== null && { problem: row.problem }),
    nextAttemptAt: row.next_attempt_at_ms === null ? null : timestamp(row.next_attempt_at_ms),
  };
}
