import { newId, webhookLimits } from '@countersign/contract';
import { sql, type Transaction } from 'kysely';
import { disableWebhook } from '../registry/store/webhooks.ts';
import type { Schema } from '../storage/schema.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { PostOutcome } from './post-event.ts';
import { heldUntilMs, nextAttemptMs, readRetryAfterMs } from './retry-times.ts';

/** An attempt that was made. */
export interface MadeAttempt {
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly outcome: PostOutcome;
}

interface RecordingTimes {
  readonly nowMs: number;
  readonly random: number;
  readonly retryScale?: number | undefined;
}

/**
 * Keeps an attempt, and decides what becomes of its delivery and webhook.
 *
 * @param random from 0 to 1, for the next attempt's time; `retryScale` multiplies the pause before it, in tests
 * @returns the reason for which the webhook was disabled; undefined if it was not
 */
export async function recordAttempt(
  database: Database,
  delivery: ClaimedDelivery,
  attempt: MadeAttempt,
  { nowMs, random, retryScale }: RecordingTimes,
): Promise<string | undefined> {
  const { outcome } = attempt;
  const isDelivered = outcome.problem === undefined;
  const retryAfterMs = readRetryAfterMs(outcome.retryAfter, nowMs);
  const nextMs = isDelivered
    ? undefined
    : nextAttemptMs(delivery.attemptCount + 1, retryAfterMs, nowMs, random, retryScale);
  const failingSinceMs = await inTransaction(database, async (transaction) => {
    if (!(await finishAttempt(transaction, delivery, isDelivered, nextMs))) return undefined;
    await keepAttempt(transaction, delivery, attempt, nextMs);
    if (nextMs === undefined) await nextOfClient(transaction, delivery, nowMs);
    const blockedMs = outcome.status === 429 ? nowMs + retryAfterMs : 0;
    return noteWebhook(transaction, delivery, {
      isDelivered,
      isAnswered: isAnswer(outcome),
      blockedMs,
      nowMs,
      retryScale,
    });
  });
  const reason = reasonToDisable(outcome, failingSinceMs, nowMs);
  if (reason === undefined) return undefined;
  const context = { nowMs, actor: { kind: 'system', id: 'webhooks' } } as const;
  return (await disableWebhook(database, delivery.webhook.webhookId, reason, context)) ? reason : undefined;
}

/** Returns false if the delivery no longer exists, or another node has claimed it by now. */
async function finishAttempt(
  transaction: Transaction<Schema>,
  { deliveryId, leaseEndMs, attemptCount }: ClaimedDelivery,
  isDelivered: boolean,
  nextMs: number | undefined,
): Promise<boolean> {
  const waiting = nextMs === undefined ? 'failed' : 'waiting';
  let query = transaction
    .updateTable('webhook_deliveries')
    .set({
      state: isDelivered ? 'delivered' : waiting,
      attempt_count: attemptCount + 1,
      next_attempt_at_ms: nextMs ?? null,
    })
    .where('delivery_id', '=', deliveryId);
  // A success counts whoever has it.
  query = isDelivered
    ? query.where('state', '=', 'waiting')
    : query.where('next_attempt_at_ms', '=', leaseEndMs);
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

async function keepAttempt(
  transaction: Transaction<Schema>,
  { deliveryId }: ClaimedDelivery,
  { startedAtMs, durationMs, url, headers, outcome }: MadeAttempt,
  nextMs: number | undefined,
): Promise<void> {
  await transaction
    .insertInto('webhook_attempts')
    .values({
      attempt_id: newId('attempt', startedAtMs),
      delivery_id: deliveryId,
      attempted_at_ms: startedAtMs,
      duration_ms: durationMs,
      url,
      request_headers: JSON.stringify(headers),
      status: outcome.status ?? null,
      answer: outcome.answer ?? null,
      problem: outcome.problem ?? null,
      next_attempt_at_ms: nextMs ?? null,
    })
    .execute();
}

/** Lets the next event of the client go, if the webhook is ordered and it was held back. */
async function nextOfClient(
  transaction: Transaction<Schema>,
  { clientId, webhook }: ClaimedDelivery,
  nowMs: number,
): Promise<void> {
  if (!webhook.isOrdered || clientId === undefined) return;
  await transaction
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at_ms: nowMs })
    .where('delivery_id', 'in', (query) =>
      query
        .selectFrom('webhook_deliveries')
        .select('delivery_id')
        .where('webhook_id', '=', webhook.webhookId)
        .where('client_id', '=', clientId)
        .where('state', '=', 'waiting')
        .orderBy('position')
        .orderBy('delivery_id')
        .limit(1),
    )
    .where('next_attempt_at_ms', '>', nowMs)
    .execute();
}

interface Noted {
  readonly isDelivered: boolean;
  readonly isAnswered: boolean;
  readonly blockedMs: number;
  readonly nowMs: number;
  readonly retryScale: number | undefined;
}

/** Notes how the webhook is doing. Returns since when it fails; undefined if it does not. */
async function noteWebhook(
  transaction: Transaction<Schema>,
  { webhook: { webhookId }, isProbe }: ClaimedDelivery,
  { isDelivered, isAnswered, blockedMs, nowMs, retryScale }: Noted,
): Promise<number | undefined> {
  if (isDelivered) {
    await transaction
      .updateTable('webhooks')
      .set({ failing_since_ms: null, failure_count: 0, held_until_ms: 0, probe_delivery_id: null })
      .where('webhook_id', '=', webhookId)
      .where('failing_since_ms', 'is not', null)
      .execute();
    return undefined;
  }
  const row = await transaction
    .updateTable('webhooks')
    .set({
      failing_since_ms: sql<number>`coalesce(failing_since_ms, ${nowMs})`,
      failure_count: isProbe
        ? sql<number>`failure_count + 1`
        : sql<number>`case when failing_since_ms is null then 1 else failure_count end`,
      ...(blockedMs > 0 && { blocked_until_ms: blockedMs }),
    })
    .where('webhook_id', '=', webhookId)
    .returning(['failing_since_ms', 'failure_count'])
    .executeTakeFirst();
  const sinceMs = row?.failing_since_ms ?? undefined;
  // What was under way when the first one failed says nothing new.
  if (row !== undefined && (isProbe || sinceMs === nowMs))
    await transaction
      .updateTable('webhooks')
      .set({ held_until_ms: heldUntilMs(row.failure_count, isAnswered, nowMs, retryScale) })
      .where('webhook_id', '=', webhookId)
      .execute();
  return sinceMs;
}

/** Returns false if there was no answer, or a proxy says that the receiver behind it gave none. */
function isAnswer({ status }: PostOutcome): boolean {
  return status !== undefined && !unreached.has(status);
}

const unreached: ReadonlySet<number> = new Set([502, 503, 504]);

const failingMsMax = webhookLimits.failingDaysMax * 86_400_000;

function reasonToDisable(
  { status }: PostOutcome,
  failingSinceMs: number | undefined,
  nowMs: number,
): string | undefined {
  if (status === 410) return 'The receiver answered with status 410: it is gone.';
  if (failingSinceMs === undefined || nowMs - failingSinceMs < failingMsMax) return undefined;
  return `Every attempt failed for ${webhookLimits.failingDaysMax} days.`;
}
