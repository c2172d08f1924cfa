import { newId, type WebhookData } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { queueEvent } from '../../registry/store/queue-event.ts';
import type { Schema } from '../../storage/schema.ts';
import type { StreamKey } from './stream-cursors.ts';

/** Queues `stream.stalled` for the operator's webhooks, in the transaction that marks the stream. */
export async function tellStalled(
  transaction: Transaction<Schema>,
  key: StreamKey,
  { problem, sinceMs, nowMs }: { readonly problem: string; readonly sinceMs: number; readonly nowMs: number },
): Promise<void> {
  await tell(
    transaction,
    'stream.stalled',
    { ...key, since: new Date(sinceMs).toISOString(), problem },
    nowMs,
  );
}

/** Queues `stream.recovered`, in the transaction that moves the cursor on. */
export async function tellRecovered(
  transaction: Transaction<Schema>,
  key: StreamKey,
  sinceMs: number,
  nowMs: number,
): Promise<void> {
  await tell(transaction, 'stream.recovered', { ...key, since: new Date(sinceMs).toISOString() }, nowMs);
}

async function tell(
  transaction: Transaction<Schema>,
  type: 'stream.stalled' | 'stream.recovered',
  data: WebhookData<'stream'>,
  nowMs: number,
): Promise<void> {
  const operators = await transaction
    .selectFrom('accounts')
    .select('account_id')
    .where('is_operator', '=', 1)
    .execute();
  for (const { account_id: accountId } of operators)
    await queueEvent(transaction, {
      eventId: newId('event', nowMs),
      type,
      accountId,
      happenedAtMs: nowMs,
      data,
    });
}
