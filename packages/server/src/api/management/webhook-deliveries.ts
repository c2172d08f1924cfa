import type { WebhookAttempt, WebhookDelivery, WebhookDeliveryDetails } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import type { Selectable } from 'kysely';
import { missingToRead } from '../../registry/store/event-permissions.ts';
import { recoverDeliveries } from '../../registry/store/recover-deliveries.ts';
import {
  addTestEvent,
  type DeliveryRecord,
  listAttempts,
  listDeliveries,
  originOf,
  readDelivery,
  resendDelivery,
} from '../../registry/store/webhook-deliveries.ts';
import { readWebhook, type WebhookRecord } from '../../registry/store/webhooks.ts';
import type { WebhookAttemptsTable } from '../../registry/webhook-tables.ts';
import type { Database } from '../../storage/transaction.ts';
import { readableAccount } from '../caller-scope.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { placeOf, writeCursor } from '../page.ts';
import { timeMsIfAny, timestamp } from '../timestamp.ts';
import { showProblem } from '../../webhooks/delivery-problem.ts';
import { webhookIdOf } from './webhook-view.ts';

/** What was sent to webhooks, and sending it again. */
export const webhookDeliveryHandlers = defineHandlers(({ database, change }) => ({
  testWebhook: (_input, request) =>
    change(request, async (transaction, context) => ({
      status: 201,
      body: showDelivery(await addTestEvent(transaction, webhookIdOf(request), context)),
    })),

  recoverWebhook: ({ body }, request) =>
    change(request, async (transaction, context) => {
      const { since, until, include = 'failed', eventTypes = null, after } = body;
      const filter = {
        webhookId: webhookIdOf(request),
        sinceMs: Date.parse(since),
        untilMs: timeMsIfAny(until),
        include,
        eventTypes,
        afterId: after,
      };
      return { status: 200, body: await recoverDeliveries(transaction, filter, context) };
    }),

  listWebhookDeliveries: async ({ query: { state, eventType, from, to, ...query } }, request) => {
    const { webhookId, accountId } = await readVisible(request, database);
    const { limit, afterId: beforeId } = placeOf(query, 'delivery');
    const filter = { state, eventType, fromMs: from, toMs: to };
    const { deliveries, continuesBefore } = await listDeliveries(database, {
      ...filter,
      webhookId,
      beforeId,
      limit,
    });
    const nextCursor = continuesBefore === undefined ? null : writeCursor(continuesBefore);
    const { permissions } = request.caller;
    const data = deliveries.map((delivery) => {
      const isReadable = missingToRead(originOf(delivery), accountId, permissions).length === 0;
      return showDelivery(isReadable ? delivery : { ...delivery, clientId: undefined });
    });
    return { status: 200, body: { data, nextCursor } };
  },

  getWebhookDelivery: async (_input, request) => {
    const { webhookId, accountId } = await readVisible(request, database);
    const delivery = await readDelivery(database, webhookId, deliveryIdOf(request));
    const missing = missingToRead(originOf(delivery), accountId, request.caller.permissions);
    if (missing.length > 0) {
      const reason = `the delivery has an event that needs ${missing.join(', ')}`;
      throw new ProblemError('permission_denied', { members: { reason } });
    }
    const attempts = await listAttempts(database, delivery.deliveryId);
    return { status: 200, body: showDetails(delivery, attempts.map(showAttempt)) };
  },

  resendWebhookDelivery: (_input, request) =>
    change(request, async (transaction, context) => {
      const ids = { webhookId: webhookIdOf(request), deliveryId: deliveryIdOf(request) };
      return { status: 200, body: showDelivery(await resendDelivery(transaction, ids, context)) };
    }),
}));

function readVisible(request: ApiRequest, database: Database): Promise<WebhookRecord> {
  return readWebhook(database, webhookIdOf(request), readableAccount(request));
}

function deliveryIdOf(request: ApiRequest): string {
  return idInPath(request, 'deliveryId', 'delivery');
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
  const problem = row.problem === null ? undefined : showProblem(row.problem, row.status);
  return {
    attemptedAt: timestamp(row.attempted_at_ms),
    durationMs: row.duration_ms,
    url: row.url,
    requestHeaders: JSON.parse(row.request_headers) as Record<string, string>,
    ...(row.status !== null && { status: row.status }),
    ...(row.answer !== null && { answer: row.answer }),
    ...(problem?.failure !== undefined && { failure: problem.failure }),
    ...(problem !== undefined && { problem: problem.sentence }),
    nextAttemptAt: row.next_attempt_at_ms === null ? null : timestamp(row.next_attempt_at_ms),
  };
}
