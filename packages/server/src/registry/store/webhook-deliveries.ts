import {
  type DeliveryState,
  firstIdAt,
  newId,
  type WebhookActivity,
  webhookLimits,
} from '@countersign/contract';
import type { ExpressionBuilder, Selectable, Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import type { WebhookAttemptsTable } from '../webhook-tables.ts';
import { changeFor } from './caller.ts';
import type { ChangeContext } from './context.ts';
import { type EventOrigin, permissionsToRead } from './event-permissions.ts';
import { queueEventFor } from './queue-event.ts';
import { checkGrant } from './roles.ts';
import { readWebhook } from './webhooks.ts';

/** An event on its way to a webhook. */
export interface DeliveryRecord {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The account of the event. */
  readonly accountId: string;
  readonly clientId: string | undefined;
  readonly state: DeliveryState;
  readonly attemptCount: number;
  readonly createdAtMs: number;
  readonly nextAttemptAtMs: number | undefined;
  /** The data of the event, as JSON. */
  readonly data: string;
}

/** A part of a webhook's deliveries. */
export interface DeliveryFilter {
  readonly webhookId: string;
  readonly state?: DeliveryState | undefined;
  readonly eventType?: string | undefined;
  /** Of the event, in milliseconds since 1970; `toMs` is excluded. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly beforeId?: string | undefined;
  readonly limit: number;
}

/** A page of deliveries. */
export interface ListedDeliveries {
  readonly deliveries: readonly DeliveryRecord[];
  /** The next page has those before this ID; undefined for the last page. */
  readonly continuesBefore: string | undefined;
}

/**
 * Lists a webhook's deliveries, newest first. Looks at a limited number at once, so a page can be empty without being the
 * last one.
 */
export async function listDeliveries(database: Database, filter: DeliveryFilter): Promise<ListedDeliveries> {
  const { webhookId, state, eventType, limit } = filter;
  const lastLookedAt = await lastToLookAt(database, filter);
  let query = deliveriesOf(database, webhookId).where(inRange(filter));
  if (lastLookedAt !== undefined) query = query.where('delivery_id', '>=', lastLookedAt);
  if (state !== undefined) query = query.where('state', '=', state);
  if (eventType !== undefined) query = query.where('webhook_events.type', '=', eventType);
  const rows = await query
    .orderBy('delivery_id', 'desc')
    .limit(limit + 1)
    .execute();
  const deliveries = rows.slice(0, limit).map(deliveryOf);
  const isFull = rows.length > limit;
  return { deliveries, continuesBefore: isFull ? deliveries.at(-1)?.deliveryId : lastLookedAt };
}

/** Takes some milliseconds, while nothing else is answered on SQLite. */
const lookedAtMax = 2000;

/** Returns the ID of the last delivery that one page looks at; undefined if it can look at all. */
async function lastToLookAt(database: Database, filter: DeliveryFilter): Promise<string | undefined> {
  if (filter.state === undefined && filter.eventType === undefined) return undefined;
  const row = await database
    .selectFrom('webhook_deliveries')
    .select('delivery_id')
    .where('webhook_id', '=', filter.webhookId)
    .where(inRange(filter))
    .orderBy('delivery_id', 'desc')
    .offset(lookedAtMax - 1)
    .limit(1)
    .executeTakeFirst();
  return row?.delivery_id;
}

/** Selects deliveries by the time of their event, with which their IDs begin. */
export function inRange({ fromMs, toMs, beforeId }: Pick<DeliveryFilter, 'fromMs' | 'toMs' | 'beforeId'>) {
  return (build: ExpressionBuilder<Schema, 'webhook_deliveries'>) =>
    build.and([
      ...(fromMs === undefined ? [] : [build('delivery_id', '>=', firstIdAt('delivery', fromMs))]),
      ...(toMs === undefined ? [] : [build('delivery_id', '<', firstIdAt('delivery', toMs))]),
      ...(beforeId === undefined ? [] : [build('delivery_id', '<', beforeId)]),
    ]);
}

/** Reads how the deliveries of a webhook went, of which a limited number is counted. */
export async function readActivity(
  database: Database,
  webhookId: string,
  nowMs: number,
): Promise<{
  readonly lastDelivery: DeliveryRecord | undefined;
  readonly lastDay: WebhookActivity['lastDay'];
}> {
  const { countedMax } = webhookLimits;
  const { deliveries } = await listDeliveries(database, { webhookId, limit: 1 });
  const rows = await database
    .selectFrom('webhook_deliveries')
    .select(['state', 'attempt_count'])
    .where('webhook_id', '=', webhookId)
    .where('delivery_id', '>=', firstIdAt('delivery', nowMs - dayMs))
    .orderBy('delivery_id', 'desc')
    .limit(countedMax + 1)
    .execute();
  const counts = { delivered: 0, failing: 0, waiting: 0 };
  for (const { state, attempt_count: attemptCount } of rows.slice(0, countedMax)) {
    if (state === 'delivered') counts.delivered += 1;
    else if (state === 'failed' || attemptCount > 0) counts.failing += 1;
    else counts.waiting += 1;
  }
  return { lastDelivery: deliveries[0], lastDay: { ...counts, isComplete: rows.length <= countedMax } };
}

const dayMs = 86_400_000;

/**
 * Reads a delivery of a webhook.
 *
 * @throws RegistryError `webhook_unknown`
 */
export async function readDelivery(
  database: Database,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRecord> {
  const row = await deliveriesOf(database, webhookId)
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst();
  if (row === undefined)
    throw new RegistryError('webhook_unknown', 'There is no such delivery: check the deliveryId.');
  return deliveryOf(row);
}

/** Lists a delivery's attempts, newest first. */
export async function listAttempts(
  database: Database,
  deliveryId: string,
): Promise<readonly Selectable<WebhookAttemptsTable>[]> {
  return database
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('attempt_id', 'desc')
    .limit(attemptsShownMax)
    .execute();
}

const attemptsShownMax = 50;

/**
 * Queues a test event for a webhook.
 *
 * @throws RegistryError `webhook_unknown`
 */
export async function addTestEvent(
  database: Database,
  webhookId: string,
  initialContext: ChangeContext,
): Promise<DeliveryRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const { accountId } = await readWebhook(transaction, webhookId, context.accountId);
    const deliveryId = await queueEventFor(transaction, webhookId, {
      eventId: newId('event', context.nowMs),
      type: 'webhook.test',
      accountId,
      happenedAtMs: context.nowMs,
      data: { webhookId },
    });
    await tryNow(transaction, webhookId, deliveryId);
    return readDelivery(transaction, webhookId, deliveryId);
  });
}

/**
 * Sends a delivery again, with as many attempts as a new one. The event keeps its ID.
 *
 * @throws RegistryError `webhook_unknown`; `permission_not_held` if the event shows what the caller may not read
 */
export async function resendDelivery(
  database: Database,
  { webhookId, deliveryId }: { readonly webhookId: string; readonly deliveryId: string },
  initialContext: ChangeContext,
): Promise<DeliveryRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const { accountId } = await readWebhook(transaction, webhookId, context.accountId);
    const delivery = await readDelivery(transaction, webhookId, deliveryId);
    // The receiver may be another one by now.
    if (context.grantable !== undefined)
      checkGrant(permissionsToRead([originOf(delivery)], accountId), context.grantable);
    await startAgain(transaction, [deliveryId], context);
    await tryNow(transaction, webhookId, deliveryId);
    return readDelivery(transaction, webhookId, deliveryId);
  });
}

/** Returns what decides who may read a delivery's event. */
export function originOf({ eventType: type, accountId }: DeliveryRecord): EventOrigin {
  return { type, accountId };
}

/** Lets a failing webhook be tried at once, with this delivery first if it is one. Does nothing to others. */
export async function tryNow(
  transaction: Transaction<Schema>,
  webhookId: string,
  deliveryId: string | null,
): Promise<void> {
  await transaction
    .updateTable('webhooks')
    .set({ held_until_ms: 0, probe_delivery_id: deliveryId })
    .where('webhook_id', '=', webhookId)
    .where('failing_since_ms', 'is not', null)
    .execute();
}

/** Lets deliveries be sent again, with as many attempts as new ones. */
export async function startAgain(
  transaction: Transaction<Schema>,
  deliveryIds: readonly string[],
  { nowMs }: ChangeContext,
): Promise<void> {
  await transaction
    .updateTable('webhook_deliveries')
    .set({ state: 'waiting', attempt_count: 0, next_attempt_at_ms: nowMs })
    .where('delivery_id', 'in', deliveryIds)
    .execute();
}

function deliveriesOf(database: Database, webhookId: string) {
  return database
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_events', 'webhook_events.event_id', 'webhook_deliveries.event_id')
    .select([
      'delivery_id',
      'webhook_id',
      'webhook_deliveries.event_id as event_id',
      'webhook_events.type as type',
      'webhook_events.account_id as account_id',
      'webhook_events.data as data',
      'client_id',
      'state',
      'attempt_count',
      'webhook_deliveries.created_at_ms as created_at_ms',
      'next_attempt_at_ms',
    ])
    .where('webhook_id', '=', webhookId);
}

function deliveryOf(row: {
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly account_id: string;
  readonly data: string;
  readonly client_id: string | null;
  readonly state: DeliveryState;
  readonly attempt_count: number;
  readonly created_at_ms: number;
  readonly next_attempt_at_ms: number | null;
}): DeliveryRecord {
  return {
    deliveryId: row.delivery_id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.type,
    accountId: row.account_id,
    clientId: row.client_id ?? undefined,
    state: row.state,
    attemptCount: row.attempt_count,
    createdAtMs: row.created_at_ms,
    nextAttemptAtMs: row.next_attempt_at_ms ?? undefined,
    data: row.data,
  };
}
