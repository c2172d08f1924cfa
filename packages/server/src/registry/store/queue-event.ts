import { newId, type WebhookEventType } from '@countersign/contract';
import { sql, type Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { isWanted } from './event-types.ts';

/** Something that happened, for the webhooks that want to know. */
export interface QueuedEvent {
  /** The audit event's ID, if it is one. Receivers recognize the event by it. */
  readonly eventId: string;
  readonly type: WebhookEventType;
  readonly accountId: string;
  readonly clientId?: string | undefined;
  /** The webhook that it is about, which does not get it. */
  readonly aboutWebhookId?: string | undefined;
  readonly happenedAtMs: number;
  /** The registry version of the change; the present one if it is none. */
  readonly version?: number;
  /** As `webhookData` of the contract describes it. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Queues an event for every webhook that wants it, in the transaction that makes it happen: either both are committed or
 * neither. Writes nothing if no webhook wants it. Nothing is sent here.
 *
 * A disabled webhook gets a delivery that has failed, so that its owner can recover it.
 */
export async function queueEvent(transaction: Transaction<Schema>, event: QueuedEvent): Promise<void> {
  const webhooks = await webhooksWanting(transaction, event);
  const listenerIds = await listenersWanting(transaction, event);
  if (webhooks.length === 0 && listenerIds.length === 0) return;
  await writeEvent(transaction, event);
  const position = event.version ?? (await presentVersion(transaction));
  for (const { webhookId, isDisabled } of webhooks)
    await writeDelivery(transaction, { webhookId, isDisabled, position }, event);
  const { eventId } = event;
  if (listenerIds.length > 0)
    await transaction
      .insertInto('webhook_listener_events')
      .values(listenerIds.map((listenerId) => ({ listener_id: listenerId, event_id: eventId, position })))
      .execute();
}

/** Returns the programs that pull such events now. */
async function listenersWanting(
  transaction: Transaction<Schema>,
  { type, accountId, happenedAtMs }: QueuedEvent,
): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom('webhook_listeners')
    .select(['listener_id', 'event_types'])
    .where('account_id', '=', accountId)
    .where('expires_at_ms', '>', happenedAtMs)
    .execute();
  return rows.filter((row) => isWanted(row.event_types, type)).map((row) => row.listener_id);
}

/** Queues an event for one webhook, whatever that wants. Returns the ID of the delivery. */
export async function queueEventFor(
  transaction: Transaction<Schema>,
  webhookId: string,
  event: QueuedEvent,
): Promise<string> {
  await writeEvent(transaction, event);
  const position = await presentVersion(transaction);
  return writeDelivery(transaction, { webhookId, isDisabled: false, position }, event);
}

interface WantingWebhook {
  readonly webhookId: string;
  readonly isDisabled: boolean;
}

async function webhooksWanting(
  transaction: Transaction<Schema>,
  { type, accountId, aboutWebhookId }: QueuedEvent,
): Promise<readonly WantingWebhook[]> {
  const columns = ['webhook_id', 'status', 'event_types'] as const;
  const rows = await transaction
    .selectFrom('webhooks')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('is_for_all_accounts', '=', 0)
    .unionAll(
      transaction
        .selectFrom('webhooks')
        .select(columns)
        // A literal, not a parameter, so that the index of such webhooks is used.
        .where(sql<boolean>`is_for_all_accounts = 1`),
    )
    .execute();
  return rows
    .filter((row) => isWanted(row.event_types, type) && row.webhook_id !== aboutWebhookId)
    .map((row) => ({ webhookId: row.webhook_id, isDisabled: row.status === 'disabled' }));
}

async function presentVersion(transaction: Transaction<Schema>): Promise<number> {
  const { version } = await transaction
    .selectFrom('registry_version')
    .select('version')
    .executeTakeFirstOrThrow();
  return version;
}

async function writeEvent(
  transaction: Transaction<Schema>,
  { eventId, accountId, type, happenedAtMs, data }: QueuedEvent,
): Promise<void> {
  await transaction
    .insertInto('webhook_events')
    .values({
      event_id: eventId,
      account_id: accountId,
      type,
      created_at_ms: happenedAtMs,
      data: JSON.stringify(data),
    })
    .execute();
}

async function writeDelivery(
  transaction: Transaction<Schema>,
  { webhookId, isDisabled, position }: WantingWebhook & { readonly position: number },
  { eventId, clientId, happenedAtMs }: QueuedEvent,
): Promise<string> {
  const deliveryId = newId('delivery', happenedAtMs);
  await transaction
    .insertInto('webhook_deliveries')
    .values({
      delivery_id: deliveryId,
      webhook_id: webhookId,
      event_id: eventId,
      client_id: clientId ?? null,
      position,
      state: isDisabled ? 'failed' : 'waiting',
      attempt_count: 0,
      next_attempt_at_ms: isDisabled ? null : happenedAtMs,
      created_at_ms: happenedAtMs,
    })
    .execute();
  return deliveryId;
}
