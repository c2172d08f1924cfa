import { type DeliveryState, type RecoveryScope, webhookLimits } from '@countersign/contract';
import type { Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { changeFor } from './caller.ts';
import type { ChangeContext } from './context.ts';
import { permissionsToRead } from './event-permissions.ts';
import { checkGrant } from './roles.ts';
import { inRange, startAgain, tryNow } from './webhook-deliveries.ts';
import { readWebhook } from './webhooks.ts';

/** Deliveries to send again. */
export interface RecoveryFilter {
  readonly webhookId: string;
  /** Of the event, in milliseconds since 1970; `untilMs` is excluded. */
  readonly sinceMs: number;
  readonly untilMs?: number | undefined;
  /** `all` includes delivered ones. Those that wait for their first attempt are sent anyway. */
  readonly include: RecoveryScope;
  /** Null for all types. */
  readonly eventTypes: readonly string[] | null;
  /** The last delivery of the part before. */
  readonly afterId?: string | undefined;
}

/**
 * Sends deliveries again, oldest first, a limited number at once. A webhook that is paused or disabled gets them when it is
 * resumed.
 *
 * @returns how many, and where to continue if that was not all
 * @throws RegistryError `webhook_unknown`; `permission_not_held` if an event shows what the caller may not read
 */
export async function recoverDeliveries(
  database: Database,
  filter: RecoveryFilter,
  initialContext: ChangeContext,
): Promise<{ readonly recovered: number; readonly isComplete: boolean; readonly next: string | null }> {
  const { webhookId } = filter;
  const { recoveredMax } = webhookLimits;
  return changeFor(database, initialContext, async (transaction, context) => {
    const { accountId } = await readWebhook(transaction, webhookId, context.accountId);
    const rows = await deliveriesToRecover(transaction, filter, recoveredMax + 1);
    const recovered = rows.slice(0, recoveredMax);
    const ids = recovered.map((row) => row.delivery_id);
    // The receiver may be another one by now.
    if (context.grantable !== undefined)
      checkGrant(permissionsToRead(recovered, accountId), context.grantable);
    if (ids.length > 0) {
      await startAgain(transaction, ids, context);
      await tryNow(transaction, webhookId, null);
    }
    const isComplete = rows.length <= recoveredMax;
    return { recovered: ids.length, isComplete, next: isComplete ? null : (ids.at(-1) ?? null) };
  });
}

async function deliveriesToRecover(
  transaction: Transaction<Schema>,
  { webhookId, sinceMs, untilMs, include, eventTypes, afterId }: RecoveryFilter,
  limit: number,
): Promise<readonly { readonly delivery_id: string; readonly type: string; readonly accountId: string }[]> {
  const waiting: DeliveryState = 'waiting';
  const states: readonly DeliveryState[] = include === 'all' ? ['failed', 'delivered'] : ['failed'];
  let query = transaction
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_events', 'webhook_events.event_id', 'webhook_deliveries.event_id')
    .select(['delivery_id', 'webhook_events.type as type', 'webhook_events.account_id as accountId'])
    .where('webhook_id', '=', webhookId)
    .where((build) =>
      build('state', 'in', states).or(build('state', '=', waiting).and('attempt_count', '>', 0)),
    )
    .where((build) => inRange({ fromMs: sinceMs, toMs: untilMs })(build));
  if (eventTypes !== null) query = query.where('webhook_events.type', 'in', eventTypes);
  if (afterId !== undefined) query = query.where('delivery_id', '>', afterId);
  return query.orderBy('delivery_id').limit(limit).execute();
}
