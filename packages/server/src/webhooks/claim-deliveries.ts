import type { DeliveryState } from '@countersign/contract';
import { sql } from 'kysely';
// oxlint-disable-next-line unicorn/require-module-specifiers -- it declares the tables
import type {} from '../registry/tables.ts';
import type { Database } from '../storage/transaction.ts';
import { type AttemptRate, attemptsAllowed, throttledAheadMaxMs, throttledUntil } from './attempt-rate.ts';
import type { DeliveryRoom, RoomPlace, RoomWebhook } from './delivery-room.ts';

/** A delivery that this node has claimed to attempt. */
export interface ClaimedDelivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly clientId: string | undefined;
  readonly attemptCount: number;
  readonly webhook: DueWebhook;
  /** Identifies the claim: no other node attempts it before this time. */
  readonly leaseEndMs: number;
  /** True if it is the one attempt that its failing webhook has: all others wait for what becomes of it. */
  readonly isProbe: boolean;
  /** Its place in the room, to be left after the attempt. */
  readonly place: RoomPlace;
}

/** A webhook with deliveries that are due. */
export interface DueWebhook extends RoomWebhook, AttemptRate {
  readonly url: string;
  readonly isOrdered: boolean;
  readonly secret: string;
  /** The secret from before a rotation; undefined if it signs no longer. */
  readonly previousSecret: string | undefined;
  /** Its custom headers, as they are stored; null for none. */
  readonly headers: string | null;
  /** Until when it was held back, while it fails. */
  readonly heldUntilMs: number;
  /** The delivery to try first while it fails; null for the one that is due longest. */
  readonly probeDeliveryId: string | null;
}

/** Longer than an attempt can take. What a node claimed that has crashed is sent again after this time. */
const usualLeaseMs = 60_000;
const webhooksPerPage = 200;
/** The number of due deliveries of an ordered webhook that are looked at in one step. */
const lookedAtMax = 50;
const looksMax = 20;

/**
 * Claims deliveries that are due, as many as there is room for: a fair share for each webhook. Call it again until it
 * returns none.
 *
 * @param place where the last call ended; each call moves it on, so that every webhook has its turn
 * @param leaseMs for how long no other node attempts what is claimed
 */
export async function claimDeliveries(
  database: Database,
  room: DeliveryRoom,
  place: { afterWebhookId: string },
  nowMs: number,
  leaseMs = usualLeaseMs,
): Promise<readonly ClaimedDelivery[]> {
  const after = place.afterWebhookId;
  place.afterWebhookId = '';
  if (!(await isAnythingDue(database, nowMs))) return [];
  const webhooks = await dueWebhooks(database, after, nowMs);
  const claimed: ClaimedDelivery[] = [];
  try {
    for (const webhook of webhooks) {
      if (room.isFull) return claimed;
      claimed.push(...(await claimOf(database, webhook, room, { nowMs, leaseMs })));
      place.afterWebhookId = webhook.webhookId;
    }
  } catch (error) {
    for (const delivery of claimed) room.leave(delivery.place, 0);
    throw error;
  }
  if (webhooks.length < webhooksPerPage) place.afterWebhookId = '';
  return claimed;
}

async function claimOf(
  database: Database,
  webhook: DueWebhook,
  room: DeliveryRoom,
  { nowMs, leaseMs }: { readonly nowMs: number; readonly leaseMs: number },
): Promise<readonly ClaimedDelivery[]> {
  const left = Math.min(room.leftFor(webhook), attemptsAllowed(webhook, nowMs));
  if (left === 0) return [];
  const { isFailing } = webhook;
  const due = webhook.isOrdered
    ? await firstOfClients(database, webhook, left, nowMs)
    : await dueDeliveries(database, webhook, left, nowMs);
  const leaseEndMs = nowMs + leaseMs;
  if (due.length > 0 && !(await claimTurn(database, webhook, due.length, { nowMs, leaseEndMs }))) return [];
  const claimed: ClaimedDelivery[] = [];
  for (const row of due) {
    if (!(await claim(database, row, leaseEndMs))) continue;
    claimed.push({
      deliveryId: row.delivery_id,
      eventId: row.event_id,
      clientId: row.client_id ?? undefined,
      attemptCount: row.attempt_count,
      webhook,
      leaseEndMs,
      isProbe: isFailing,
      place: room.enter(webhook),
    });
  }
  return claimed;
}

async function isAnythingDue(database: Database, nowMs: number): Promise<boolean> {
  const row = await database
    .selectFrom('webhook_deliveries')
    .select('delivery_id')
    .where('next_attempt_at_ms', '<=', nowMs)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function dueWebhooks(
  database: Database,
  afterWebhookId: string,
  nowMs: number,
): Promise<readonly DueWebhook[]> {
  const rows = await database
    .selectFrom('webhooks')
    .select(['webhook_id', 'account_id', 'url', 'is_ordered', 'failing_since_ms'])
    .select(['secret', 'previous_secret', 'previous_secret_until_ms', 'held_until_ms', 'probe_delivery_id'])
    .select(['headers', 'attempts_per_minute_max', 'throttled_until_ms'])
    .where('webhook_id', '>', afterWebhookId)
    .where('status', '=', 'active')
    .where('blocked_until_ms', '<=', nowMs)
    .where('held_until_ms', '<=', nowMs)
    .where((build) =>
      build.or([
        build('attempts_per_minute_max', 'is', null),
        build('throttled_until_ms', '<=', nowMs),
        build('throttled_until_ms', '>', nowMs + throttledAheadMaxMs),
      ]),
    )
    .where((build) =>
      build.exists(
        build
          .selectFrom('webhook_deliveries')
          .select(sql<number>`1`.as('one'))
          .whereRef('webhook_deliveries.webhook_id', '=', 'webhooks.webhook_id')
          .where('next_attempt_at_ms', '<=', nowMs),
      ),
    )
    .orderBy('webhook_id')
    .limit(webhooksPerPage)
    .execute();
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    accountId: row.account_id,
    url: row.url,
    origin: new URL(row.url).origin,
    isOrdered: row.is_ordered === 1,
    secret: row.secret,
    previousSecret:
      (row.previous_secret_until_ms ?? 0) > nowMs ? (row.previous_secret ?? undefined) : undefined,
    headers: row.headers,
    isFailing: row.failing_since_ms !== null,
    heldUntilMs: row.held_until_ms,
    probeDeliveryId: row.probe_delivery_id,
    attemptsPerMinuteMax: row.attempts_per_minute_max,
    throttledUntilMs: row.throttled_until_ms,
  }));
}

interface DueRow {
  readonly delivery_id: string;
  readonly event_id: string;
  readonly client_id: string | null;
  readonly position: number;
  readonly attempt_count: number;
  readonly next_attempt_at_ms: number | null;
}

const columns = [
  'delivery_id',
  'event_id',
  'client_id',
  'position',
  'attempt_count',
  'next_attempt_at_ms',
] as const;

async function dueDeliveries(
  database: Database,
  { webhookId, isFailing, probeDeliveryId }: DueWebhook,
  limit: number,
  nowMs: number,
): Promise<readonly DueRow[]> {
  let query = database
    .selectFrom('webhook_deliveries')
    .select(columns)
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at_ms', '<=', nowMs);
  if (isFailing && probeDeliveryId !== null)
    query = query.orderBy(sql`case when delivery_id = ${probeDeliveryId} then 0 else 1 end`);
  return query.orderBy('next_attempt_at_ms').orderBy('position').limit(limit).execute();
}

/**
 * Returns due deliveries of an ordered webhook, at most the first of each client. Those behind one that is not due yet are
 * due no earlier than that one, so each is looked at once per attempt, however many wait.
 */
async function firstOfClients(
  database: Database,
  webhook: DueWebhook,
  limit: number,
  nowMs: number,
): Promise<readonly DueRow[]> {
  for (let look = 0; look < looksMax; look += 1) {
    const due = await dueDeliveries(database, webhook, lookedAtMax, nowMs);
    const firsts = await firstsAmong(database, webhook, due, { limit, nowMs });
    if (firsts.length > 0 || due.length === 0) return firsts;
  }
  return [];
}

async function firstsAmong(
  database: Database,
  webhook: DueWebhook,
  due: readonly DueRow[],
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): Promise<readonly DueRow[]> {
  const firsts: DueRow[] = [];
  const seen = new Set<string>();
  for (const row of due) {
    if (firsts.length === limit) break;
    if (row.client_id === null) {
      firsts.push(row);
    } else if (!seen.has(row.client_id)) {
      seen.add(row.client_id);
      const first = await firstWaiting(database, webhook.webhookId, row.client_id);
      if (first === undefined) continue;
      if ((first.next_attempt_at_ms ?? Infinity) <= nowMs) firsts.push(first);
      else await holdBack(database, webhook.webhookId, first, nowMs);
    }
  }
  return firsts;
}

async function firstWaiting(
  database: Database,
  webhookId: string,
  clientId: string,
): Promise<DueRow | undefined> {
  const waiting: DeliveryState = 'waiting';
  return database
    .selectFrom('webhook_deliveries')
    .select(columns)
    .where('webhook_id', '=', webhookId)
    .where('client_id', '=', clientId)
    .where('state', '=', waiting)
    .orderBy('position')
    .orderBy('delivery_id')
    .limit(1)
    .executeTakeFirst();
}

async function holdBack(database: Database, webhookId: string, first: DueRow, nowMs: number): Promise<void> {
  await database
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at_ms: first.next_attempt_at_ms })
    .where('webhook_id', '=', webhookId)
    .where('client_id', '=', first.client_id)
    .where('state', '=', 'waiting')
    .where('delivery_id', '!=', first.delivery_id)
    .where('next_attempt_at_ms', '<=', nowMs)
    .execute();
}

/**
 * Claims the one attempt of a webhook that fails, and takes attempts from a limited number per minute. Others need no claim.
 * Returns false if another node was faster, or the webhook was just heard of.
 */
async function claimTurn(
  database: Database,
  webhook: DueWebhook,
  count: number,
  { nowMs, leaseEndMs }: { readonly nowMs: number; readonly leaseEndMs: number },
): Promise<boolean> {
  const { webhookId, isFailing, heldUntilMs, attemptsPerMinuteMax: perMinute, throttledUntilMs } = webhook;
  if (!isFailing && perMinute === null) return true;
  let query = database.updateTable('webhooks').where('webhook_id', '=', webhookId);
  if (isFailing)
    query = query
      .set({ held_until_ms: leaseEndMs, probe_delivery_id: null })
      .where('held_until_ms', '=', heldUntilMs)
      .where('failing_since_ms', 'is not', null);
  if (perMinute !== null)
    query = query
      .set({ throttled_until_ms: throttledUntil(webhook, perMinute, count, nowMs) })
      .where('attempts_per_minute_max', '=', perMinute)
      .where('throttled_until_ms', '=', throttledUntilMs);
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Returns false if another node was faster. */
async function claim(database: Database, row: DueRow, leaseEndMs: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at_ms: leaseEndMs })
    .where('delivery_id', '=', row.delivery_id)
    .where('next_attempt_at_ms', '=', row.next_attempt_at_ms)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Lets any node attempt a delivery at once, because this one stops before it has an answer. */
export async function releaseDelivery(
  database: Database,
  { deliveryId, leaseEndMs, isProbe, webhook }: ClaimedDelivery,
  nowMs: number,
): Promise<void> {
  if (isProbe)
    await database
      .updateTable('webhooks')
      .set({ held_until_ms: nowMs })
      .where('webhook_id', '=', webhook.webhookId)
      .where('held_until_ms', '=', leaseEndMs)
      .execute();
  await database
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at_ms: nowMs })
    .where('delivery_id', '=', deliveryId)
    .where('next_attempt_at_ms', '=', leaseEndMs)
    .execute();
}
