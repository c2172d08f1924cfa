import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookEvent } from '@countersign/contract';
import type { ForwardingKey } from '@countersign/gate';
import { type NetworkMeans, openTcpSocket, resolveOnInternet } from '../directories/connection.ts';
import type { TrustedOrigins } from '../directories/directory-url.ts';
import { type RepeatedWork, repeatWork } from '../lifecycle/repeated-work.ts';
import type { Database } from '../storage/transaction.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DueWebhook,
  releaseDelivery,
} from './claim-deliveries.ts';
import { hideValues, hideValuesIn, openHeaders } from './custom-headers.ts';
import type { DeliveryProblem } from './delivery-problem.ts';
import { DeliveryRoom } from './delivery-room.ts';
import { postEvent, type PostOutcome } from './post-event.ts';
import { type MadeAttempt, recordAttempt } from './record-attempt.ts';
import { signWebhook } from './sign-webhook.ts';
import { trimWebhooks } from './trim-webhooks.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';
import { checkWebhookUrl } from './webhook-url.ts';

export interface DeliveringOptions {
  readonly database: Database;
  /** The wall clock, in milliseconds since 1970. */
  readonly nowMs: () => number;
  /** A clock for durations, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Returns the published key that signs now, and publishes one first if there is none; undefined if it cannot. */
  readonly signingKey: () => Promise<ForwardingKey | undefined>;
  readonly secrets: WebhookSecrets;
  readonly trustedOrigins: TrustedOrigins;
  /** Replaces parts of the network in tests. */
  readonly means?: Partial<NetworkMeans> | undefined;
  /** Replaces the timers of an attempt in tests. */
  readonly deadline?: ((ms: number) => AbortSignal) | undefined;
  /** Multiplies the pauses between attempts, in tests. Default 1. */
  readonly retryScale?: number | undefined;
  /** For how long no other node attempts what this one has claimed; shorter in tests. Longer than `deadline`. Default a minute. */
  readonly leaseMs?: number | undefined;
  /** Called when a webhook is disabled. */
  readonly onDisabled: (webhookId: string, reason: string) => void;
  /** Called on failure. The work continues at the next interval. */
  readonly onError: (error: unknown) => void;
  /** The interval. Default 1 second. */
  readonly everyMs?: number | undefined;
}

/**
 * Sends queued events to webhooks. Any number of nodes may run it: one of them attempts a delivery at a time. Each event
 * arrives at least once; one whose node crashed before it kept the answer is sent again, with the same ID.
 *
 * A run ends when nothing is due. No request waits for it, and no receiver holds up another: see `DeliveryRoom`.
 */
export function startDeliveringWebhooks(options: DeliveringOptions): RepeatedWork {
  const { everyMs = 1000, onError, database, nowMs } = options;
  const room = new DeliveryRoom();
  const place = { afterWebhookId: '' };
  let trimmedAtMs = 0;
  const work = async (closing: AbortSignal): Promise<void> => {
    await deliverDue(options, room, place, closing);
    if (closing.aborted || Math.abs(nowMs() - trimmedAtMs) < trimEveryMs) return;
    trimmedAtMs = nowMs();
    await trimWebhooks(database, trimmedAtMs);
  };
  return repeatWork(work, { everyMs, onError });
}

const trimEveryMs = 3_600_000;
/** While attempts run, others may become due. */
const lookEveryMs = 500;

async function deliverDue(
  options: DeliveringOptions,
  room: DeliveryRoom,
  place: { afterWebhookId: string },
  closing: AbortSignal,
): Promise<void> {
  const running = new Set<Promise<void>>();
  try {
    while (!closing.aborted) {
      const startsAt = place.afterWebhookId;
      const claimed = await claimDeliveries(options.database, room, place, options.nowMs(), options.leaseMs);
      for (const delivery of claimed) {
        const attempt = attemptOnce(delivery, options, room, closing)
          .catch(options.onError)
          .finally(() => running.delete(attempt));
        running.add(attempt);
      }
      if (claimed.length > 0 && !room.isFull) continue;
      if (running.size > 0) await someTime(running);
      else if (startsAt === '' && place.afterWebhookId === '') return;
    }
  } finally {
    await Promise.all(running);
  }
}

/** Waits for the first attempt to end, but not long. */
async function someTime(running: ReadonlySet<Promise<void>>): Promise<void> {
  const waiting = new AbortController();
  const timer = sleep(lookEveryMs, undefined, { signal: waiting.signal, ref: false }).catch(() => undefined);
  await Promise.race([...running, timer]);
  waiting.abort();
}

async function attemptOnce(
  delivery: ClaimedDelivery,
  options: DeliveringOptions,
  room: DeliveryRoom,
  closing: AbortSignal,
): Promise<void> {
  const { database, nowMs, monotonicMs, retryScale, onDisabled } = options;
  const startedMs = monotonicMs();
  try {
    const attempt = await makeAttempt(delivery, options, closing);
    // Stopped, or without a published key: as if it had not been claimed.
    if (closing.aborted || attempt === undefined) {
      await releaseDelivery(database, delivery, closing.aborted ? nowMs() : nowMs() + withoutKeyMs);
      return;
    }
    const reason = await recordAttempt(database, delivery, attempt, {
      nowMs: nowMs(),
      random: Math.random(),
      retryScale,
    });
    if (reason !== undefined) onDisabled(delivery.webhook.webhookId, reason);
  } finally {
    room.leave(delivery.place, monotonicMs() - startedMs);
  }
}

const withoutKeyMs = 5000;

async function makeAttempt(
  delivery: ClaimedDelivery,
  options: DeliveringOptions,
  closing: AbortSignal,
): Promise<MadeAttempt | undefined> {
  const { database, nowMs, monotonicMs, signingKey, secrets, trustedOrigins, means, deadline } = options;
  const { webhook, eventId } = delivery;
  const startedAtMs = nowMs();
  const startedMs = monotonicMs();
  const made = (outcome: PostOutcome, headers: MadeAttempt['headers']): MadeAttempt => ({
    startedAtMs,
    durationMs: Math.round(monotonicMs() - startedMs),
    url: webhook.url,
    headers,
    outcome,
  });
  const target = checkWebhookUrl(webhook.url, trustedOrigins);
  if (!target.ok) return made(notSent(target.code), {});
  const ownSecrets = openSecrets(webhook, secrets);
  const custom = openHeaders(webhook, secrets);
  if (ownSecrets === undefined || custom === undefined) return made(notSent('secret_unreadable'), {});
  const published = await signingKey();
  if (published === undefined) return undefined;
  const body = await readBody(database, eventId);
  const keys = { published, secrets: ownSecrets };
  const headers = signWebhook({ eventId, targetUri: webhook.url, body }, keys, startedAtMs);
  const outcome = await postEvent({
    target,
    headers: { ...custom, ...headers },
    body,
    means: { resolve: resolveOnInternet, openSocket: openTcpSocket, ...means },
    deadline: deadline ?? ((ms) => AbortSignal.timeout(ms)),
    closing,
  });
  const { answer } = outcome;
  const shown = { ...outcome, answer: answer === undefined ? undefined : hideValuesIn(answer, custom) };
  return made(shown, { ...hideValues(custom), ...headers });
}

/** Returns undefined if the present secret cannot be read. A previous one that cannot was never of use. */
function openSecrets(
  { webhookId, secret, previousSecret }: DueWebhook,
  secrets: WebhookSecrets,
): readonly Buffer[] | undefined {
  const present = secrets.open(webhookId, secret);
  if (present === undefined) return undefined;
  const previous = previousSecret === undefined ? undefined : secrets.open(webhookId, previousSecret);
  return previous === undefined ? [present] : [present, previous];
}

function notSent(problem: DeliveryProblem): PostOutcome {
  return { status: undefined, retryAfter: undefined, answer: undefined, problem };
}

async function readBody(database: Database, eventId: string): Promise<Buffer> {
  const row = await database
    .selectFrom('webhook_events')
    .select(['account_id', 'type', 'created_at_ms', 'data'])
    .where('event_id', '=', eventId)
    .executeTakeFirstOrThrow();
  const event: WebhookEvent = {
    id: eventId,
    type: row.type,
    createdAt: new Date(row.created_at_ms).toISOString(),
    accountId: row.account_id,
    data: JSON.parse(row.data) as Record<string, unknown>,
  };
  return Buffer.from(JSON.stringify(event));
}
