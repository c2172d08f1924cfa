import { newId, permissionsForEvents, webhookLimits } from '@countersign/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import type { WebhookListenersTable } from '../webhook-tables.ts';
import { changeFor } from './caller.ts';
import type { ChangeContext } from './context.ts';
import { readEventTypes, storedEventTypes } from './event-types.ts';
import { checkGrant } from './roles.ts';

/** A program that pulls an account's events, as long as it does. */
export interface ListenerRecord {
  readonly listenerId: string;
  /** Null for all types. */
  readonly eventTypes: readonly string[] | null;
  readonly expiresAtMs: number;
}

/** An event that waits to be pulled. */
export interface WaitingEvent {
  readonly eventId: string;
  readonly type: string;
  readonly accountId: string;
  readonly createdAtMs: number;
  /** JSON. */
  readonly data: string;
}

const lifeMs = webhookLimits.listenerSeconds * 1000;

/**
 * Adds a listener, which gets events from now on. The caller needs the permission of each type. Listeners that have ended
 * are removed.
 *
 * @throws RegistryError `permission_not_held`, `webhooks_too_many`
 */
export async function addListener(
  database: Database,
  accountId: string,
  eventTypes: readonly string[] | null,
  initialContext: ChangeContext,
): Promise<ListenerRecord> {
  return changeFor(database, initialContext, async (transaction, { nowMs, grantable }) => {
    if (grantable !== undefined) checkGrant(permissionsForEvents(eventTypes), grantable);
    await transaction.deleteFrom('webhook_listeners').where('expires_at_ms', '<=', nowMs).execute();
    const others = await transaction
      .selectFrom('webhook_listeners')
      .select('listener_id')
      .where('account_id', '=', accountId)
      .execute();
    if (others.length >= webhookLimits.listenersPerAccountMax)
      throw new RegistryError(
        'webhooks_too_many',
        `An account has at most ${webhookLimits.listenersPerAccountMax} listeners at a time.`,
      );
    const row = {
      listener_id: newId('listener', nowMs),
      account_id: accountId,
      event_types: storedEventTypes(eventTypes),
      created_at_ms: nowMs,
      expires_at_ms: nowMs + lifeMs,
    };
    await transaction.insertInto('webhook_listeners').values(row).execute();
    return listenerOf(row);
  });
}

/**
 * Keeps a listener alive, and forgets the events that it has received. The caller still needs the permission of each type.
 *
 * @throws RegistryError `webhook_unknown`, `permission_not_held`
 */
export async function keepListening(
  database: Database,
  listenerId: string,
  { accountId, received }: { readonly accountId: string; readonly received: readonly string[] },
  initialContext: ChangeContext,
): Promise<ListenerRecord> {
  return changeFor(database, initialContext, async (transaction, { nowMs, grantable }) => {
    const row = await readRow(transaction, listenerId, accountId, nowMs);
    const listener = listenerOf({ ...row, expires_at_ms: nowMs + lifeMs });
    if (grantable !== undefined) checkGrant(permissionsForEvents(listener.eventTypes), grantable);
    await transaction
      .updateTable('webhook_listeners')
      .set({ expires_at_ms: listener.expiresAtMs })
      .where('listener_id', '=', listenerId)
      .execute();
    if (received.length > 0)
      await transaction
        .deleteFrom('webhook_listener_events')
        .where('listener_id', '=', listenerId)
        .where('event_id', 'in', received)
        .execute();
    return listener;
  });
}

/** Returns the oldest events that wait for a listener; undefined if it has ended. */
export async function readWaitingEvents(
  database: Database,
  listenerId: string,
): Promise<readonly WaitingEvent[] | undefined> {
  const rows = await database
    .selectFrom('webhook_listener_events')
    .innerJoin('webhook_events', 'webhook_events.event_id', 'webhook_listener_events.event_id')
    .select(['webhook_events.event_id as event_id', 'type', 'account_id', 'created_at_ms', 'data'])
    .where('listener_id', '=', listenerId)
    .orderBy('position')
    .orderBy('webhook_events.event_id')
    .limit(webhookLimits.pulledMax)
    .execute();
  if (rows.length === 0) {
    const listener = await database
      .selectFrom('webhook_listeners')
      .select('listener_id')
      .where('listener_id', '=', listenerId)
      .executeTakeFirst();
    if (listener === undefined) return undefined;
  }
  return rows.map((row) => ({
    eventId: row.event_id,
    type: row.type,
    accountId: row.account_id,
    createdAtMs: row.created_at_ms,
    data: row.data,
  }));
}

/**
 * Ends a listener. Returns it as it was.
 *
 * @throws RegistryError `webhook_unknown`
 */
export async function removeListener(
  database: Database,
  listenerId: string,
  accountId: string,
  initialContext: ChangeContext,
): Promise<ListenerRecord> {
  return changeFor(database, initialContext, async (transaction, { nowMs }) => {
    const row = await readRow(transaction, listenerId, accountId, nowMs);
    await transaction.deleteFrom('webhook_listeners').where('listener_id', '=', listenerId).execute();
    return listenerOf(row);
  });
}

async function readRow(
  database: Database,
  listenerId: string,
  accountId: string,
  nowMs: number,
): Promise<Selectable<WebhookListenersTable>> {
  const row = await database
    .selectFrom('webhook_listeners')
    .selectAll()
    .where('listener_id', '=', listenerId)
    .where('account_id', '=', accountId)
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst();
  if (row !== undefined) return row;
  throw new RegistryError('webhook_unknown', 'There is no such listener, or it has not pulled for a minute.');
}

function listenerOf(row: Selectable<WebhookListenersTable>): ListenerRecord {
  const { listener_id: listenerId, expires_at_ms: expiresAtMs } = row;
  return { listenerId, eventTypes: readEventTypes(row.event_types), expiresAtMs };
}
