import { webhookLimits } from '@countersign/contract';
import type { Database } from '../storage/transaction.ts';

const keptMs = webhookLimits.keptDays * 86_400_000;
/** Removed in one statement, so that requests run in between. */
const perStep = 500;

/**
 * Removes old events, with their deliveries and attempts, whatever became of them, and secrets and listeners that have
 * ended.
 */
export async function trimWebhooks(database: Database, nowMs: number): Promise<void> {
  await database
    .updateTable('webhooks')
    .set({ previous_secret: null, previous_secret_until_ms: null })
    .where('previous_secret_until_ms', '<=', nowMs)
    .execute();
  await database.deleteFrom('webhook_listeners').where('expires_at_ms', '<=', nowMs).execute();
  for (;;) {
    const { numDeletedRows } = await database
      .deleteFrom('webhook_events')
      .where('event_id', 'in', (query) =>
        query
          .selectFrom('webhook_events')
          .select('event_id')
          .where('created_at_ms', '<', nowMs - keptMs)
          .limit(perStep),
      )
      .executeTakeFirstOrThrow();
    if (numDeletedRows < BigInt(perStep)) return;
  }
}
