import type { Webhook, WebhookActivity, WebhookRequest } from '@countersign/contract';
import { type DeliveryRecord, readActivity } from '../../registry/store/webhook-deliveries.ts';
import {
  addWebhook,
  listWebhooks,
  moveWebhook,
  type NewWebhook,
  readWebhook,
  removeWebhook,
  updateWebhook,
  type WebhookRecord,
} from '../../registry/store/webhooks.ts';
import type { HeaderChange } from '../../registry/store/webhook-headers.ts';
import { bodyInvalid } from '../../request-bodies/request-body.ts';
import type { Database } from '../../storage/transaction.ts';
import type { WebhookSecrets } from '../../webhooks/webhook-secrets.ts';
import { checkWebhookUrl } from '../../webhooks/webhook-url.ts';
import { listedAccount, readableAccount } from '../caller-scope.ts';
import { dryRun } from '../dry-run.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { pageOf, placeOf } from '../page.ts';
import { timestamp } from '../timestamp.ts';
import { showWebhook, webhookAnswer, webhookIdOf } from './webhook-view.ts';

/** URLs that an account is told its events at. */
export const webhookHandlers = defineHandlers(({ database, change, webhooks }) => {
  const { trustedOrigins, secrets } = webhooks;
  return {
    listWebhooks: async ({ query: { accountId, ...query } }, request) => {
      const { limit, afterId } = placeOf(query, 'webhook');
      const listed = await listedAccount(request, accountId, database);
      const rows = await listWebhooks(database, { accountId: listed, afterId, limit: limit + 1 });
      const show = (webhook: WebhookRecord): Webhook => showWebhook(webhook, request);
      const { data, nextCursor } = pageOf(rows, limit, ({ webhookId }) => webhookId, show);
      const shown: Webhook[] = [];
      for (const webhook of data) shown.push(await withActivity(database, webhook, request));
      return { status: 200, body: { data: shown, nextCursor } };
    },

    addWebhook: ({ body: { dryRun: isDryRun = false, headers = {}, ...content } }, request) => {
      checkUrl(content.url, trustedOrigins);
      return dryRun(isDryRun, (end) =>
        change(request, async (transaction, context) => {
          const secret = secrets.create();
          const webhook = await addWebhook(
            transaction,
            request.caller.accountId,
            {
              ...withDefaults(content),
              sealSecret: (webhookId) => secrets.seal(webhookId, secret),
              sealHeaders: (webhookId) => sealHeaders(secrets, webhookId, headers),
            },
            context,
          );
          const answer = webhookAnswer(webhook, request);
          const location = { Location: `/v1/webhooks/${webhook.webhookId}` };
          return end({
            status: 201,
            headers: { ...answer.headers, ...location },
            body: { ...showWebhook(webhook, request), ...(!isDryRun && { secret }) },
          });
        }),
      );
    },

    getWebhook: async (_input, request) => {
      const webhook = await readWebhook(database, webhookIdOf(request), readableAccount(request));
      const answer = webhookAnswer(webhook, request);
      return { ...answer, body: await withActivity(database, answer.body, request) };
    },

    updateWebhook: ({ body: { dryRun: isDryRun = false, headers, ...content } }, request) => {
      const webhookId = webhookIdOf(request);
      const next = { ...content, headers: headers && sealHeaders(secrets, webhookId, headers) };
      checkUrl(content.url, trustedOrigins);
      return dryRun(isDryRun, (end) =>
        change(request, async (transaction, context) =>
          end(webhookAnswer(await updateWebhook(transaction, webhookId, next, context), request)),
        ),
      );
    },

    /** Responds with the webhook as it was. */
    removeWebhook: (_input, request) =>
      change(request, async (transaction, context) => ({
        status: 200,
        body: showWebhook(await removeWebhook(transaction, webhookIdOf(request), context), request),
      })),

    pauseWebhook: (_input, request) =>
      change(request, async (transaction, context) =>
        webhookAnswer(await moveWebhook(transaction, webhookIdOf(request), 'paused', context), request),
      ),

    resumeWebhook: (_input, request) =>
      change(request, async (transaction, context) =>
        webhookAnswer(await moveWebhook(transaction, webhookIdOf(request), 'active', context), request),
      ),
  };
});

function checkUrl(url: string | undefined, trustedOrigins: ReadonlySet<string>): void {
  if (url === undefined) return;
  const checked = checkWebhookUrl(url, trustedOrigins);
  if (!checked.ok) throw bodyInvalid([{ pointer: '/url', detail: checked.message }]);
}

/** Returns custom headers as they are stored: names in lower case, and values that are never shown again. */
function sealHeaders(
  { sealHeader }: Pick<WebhookSecrets, 'sealHeader'>,
  webhookId: string,
  headers: HeaderChange,
): HeaderChange {
  return Object.fromEntries(
    Object.entries(headers).map(([given, value]) => {
      const name = given.toLowerCase();
      return [name, value === null ? null : sealHeader(webhookId, name, value)];
    }),
  );
}

/** What a webhook has unless its owner says otherwise. */
function withDefaults({
  url,
  description = '',
  eventTypes = null,
  isOrdered = false,
  isForAllAccounts = false,
  attemptsPerMinuteMax = null,
  isPaused = false,
}: Omit<WebhookRequest, 'dryRun' | 'headers'>): Omit<NewWebhook, 'sealSecret'> {
  return { url, description, eventTypes, isOrdered, isForAllAccounts, attemptsPerMinuteMax, isPaused };
}

async function withActivity(database: Database, webhook: Webhook, { nowMs }: ApiRequest): Promise<Webhook> {
  const { lastDelivery, lastDay } = await readActivity(database, webhook.webhookId, nowMs);
  return { ...webhook, activity: { ...(lastDelivery && { lastDelivery: showLast(lastDelivery) }), lastDay } };
}

function showLast({
  deliveryId,
  eventType,
  state,
  attemptCount,
  createdAtMs,
}: DeliveryRecord): WebhookActivity['lastDelivery'] {
  return { deliveryId, eventType, state, attemptCount, createdAt: timestamp(createdAtMs) };
}
