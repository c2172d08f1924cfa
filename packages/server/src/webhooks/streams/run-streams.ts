import { randomUUID } from 'node:crypto';
import type { ForwardingKey } from '@countersign/gate';
import { type NetworkMeans, openTcpSocket, resolveOnInternet } from '../../directories/connection.ts';
import { type RepeatedWork, repeatWork } from '../../lifecycle/repeated-work.ts';
import { extendAuditChain } from '../../registry/store/audit-chain.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { sendBatch, type SendOutcome } from './send-batch.ts';
import {
  addCursor,
  advanceCursor,
  claimCursor,
  failCursor,
  readCursor,
  releaseCursor,
  type StreamCursor,
  type StreamKey,
} from './stream-cursors.ts';
import type { StreamPage, StreamReader, StreamSource } from '../../registry/stream-records.ts';
import { type StreamFigures, StreamLags } from './stream-lags.ts';
import { nextStreamAttemptMs } from './stream-retries.ts';
import type { SentStream } from './sent-stream.ts';
import { tellRecovered, tellStalled } from './stream-stalls.ts';

/** What streams report to the log. Nothing in it comes from a receiver, and no secret is in it. */
export interface StreamReports {
  readonly onFailing: (key: StreamKey, problem: string, failures: number) => void;
  readonly onStalled: (key: StreamKey, problem: string, sinceMs: number) => void;
  readonly onRecovered: (key: StreamKey, sinceMs: number) => void;
  /** Called if an OTLP receiver acknowledged a batch without some of its records. */
  readonly onRejected: (key: StreamKey, records: number) => void;
  /** Called on any other failure. The work continues at the next interval. */
  readonly onError: (error: unknown) => void;
}

export interface StreamsOptions extends StreamReports {
  readonly streams: readonly SentStream[];
  readonly readers: Readonly<Record<StreamSource, StreamReader>>;
  readonly database: Database;
  /** The wall clock, in milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Returns the published key that signs now, and publishes one first if there is none; undefined if it cannot. */
  readonly signingKey: () => Promise<ForwardingKey | undefined>;
  /** Returns the value of `Authorization` for a stream's receiver. */
  readonly authorizationOf: (stream: string) => string | undefined;
  /** Returns the only authorities for a stream's receiver, in PEM. */
  readonly authoritiesOf: (stream: string) => readonly string[] | undefined;
  /** Replaces parts of the network in tests. */
  readonly means?: Partial<NetworkMeans> | undefined;
  /** Replaces the timers of an attempt in tests. */
  readonly deadline?: ((ms: number) => AbortSignal) | undefined;
  /** The interval. Default 1 second. */
  readonly everyMs?: number | undefined;
}

/** The streams of a node. */
export interface RunningStreams extends RepeatedWork {
  /** Returns how far each is behind, as measured some seconds ago. */
  figures(): readonly StreamFigures[];
}

/**
 * Links the audit log to its chain, and sends streams. Any number of nodes may run it: one of them sends a source of a stream
 * at a time. Each record arrives at least once, in order; the cursor moves on when the receiver has acknowledged.
 *
 * No request waits for it, and no receiver holds up another.
 */
export function startStreams(options: StreamsOptions): RunningStreams {
  const { everyMs = 1000, onError, database, streams, readers, nowMs } = options;
  const lags = new StreamLags(database, readers, nowMs);
  // One claim for all, so that a node that sends slowly can extend its own.
  const leaseId = randomUUID();
  const chain = repeatWork((closing) => extendAuditChain(database, closing), { everyMs, onError });
  const sending = streams.flatMap((stream) =>
    stream.sources.map((source) => {
      const claim = { key: { stream: stream.name, source }, leaseId, lags };
      return repeatWork((closing) => sendDue(options, stream, claim, closing), { everyMs, onError });
    }),
  );
  return {
    async run() {
      await chain.run();
      await Promise.all(sending.map((work) => work.run()));
    },
    async close() {
      await Promise.all([chain, ...sending].map((work) => work.close()));
    },
    figures: () => lags.figures(),
  };
}

/** Sends until nothing is left, an attempt fails, or another node has claimed the source. */
async function sendDue(
  options: StreamsOptions,
  stream: SentStream,
  { key, leaseId, lags }: Pick<ClaimedPage, 'key' | 'leaseId'> & { readonly lags: StreamLags },
  closing: AbortSignal,
): Promise<void> {
  const { database, nowMs } = options;
  const reader = options.readers[key.source];
  if ((await readCursor(database, key)) === undefined) {
    const place = await reader.start(database, stream.from);
    if (place === undefined) return;
    await addCursor(database, key, place);
  }
  try {
    while (!closing.aborted && (await claimCursor(database, key, leaseId, nowMs()))) {
      await lags.measure(key);
      const cursor = await readCursor(database, key);
      const page = cursor && (await reader.read(database, cursor.place));
      if (cursor === undefined || page === undefined) break;
      if (!(await sendPage(options, stream, { key, leaseId, cursor, page }, closing))) break;
    }
  } finally {
    await releaseCursor(database, key, leaseId);
  }
  await lags.measure(key);
}

interface ClaimedPage {
  readonly key: StreamKey;
  readonly leaseId: string;
  readonly cursor: StreamCursor;
  readonly page: StreamPage;
}

/** Returns true if the cursor has moved on. */
async function sendPage(
  options: StreamsOptions,
  stream: SentStream,
  claimed: ClaimedPage,
  closing: AbortSignal,
): Promise<boolean> {
  const { key, page } = claimed;
  const outcome =
    page.records.length === 0
      ? { problem: undefined, retryAfterMs: 0, rejected: 0 }
      : await sendBatch(stream, page.records, {
          means: {
            resolve: resolveOnInternet,
            openSocket: openTcpSocket,
            certificateAuthorities: options.authoritiesOf(stream.name),
            ...options.means,
          },
          deadline: options.deadline ?? ((ms) => AbortSignal.timeout(ms)),
          closing,
          nowMs: options.nowMs,
          signingKey: options.signingKey,
          authorization: options.authorizationOf(stream.name),
        });
  if (outcome.problem === undefined) {
    if (outcome.rejected > 0) options.onRejected(key, outcome.rejected);
    return acknowledge(options, claimed);
  }
  // Stopped: the attempt says nothing about the receiver.
  if (!closing.aborted) await fail(options, stream, claimed, { ...outcome, problem: outcome.problem });
  return false;
}

async function acknowledge(
  options: StreamsOptions,
  { key, leaseId, cursor, page }: ClaimedPage,
): Promise<boolean> {
  const { database, nowMs, onRecovered } = options;
  const isEmpty = page.records.length === 0;
  const { failingSinceMs, stalledAtMs } = cursor;
  const hasAdvanced = await inTransaction(database, async (transaction) => {
    if (!(await advanceCursor(transaction, key, leaseId, page.next))) return false;
    if (stalledAtMs !== null) await tellRecovered(transaction, key, failingSinceMs ?? stalledAtMs, nowMs());
    return true;
  });
  if (hasAdvanced && failingSinceMs !== null && !isEmpty) onRecovered(key, failingSinceMs);
  return hasAdvanced;
}

async function fail(
  { database, nowMs, onFailing, onStalled }: StreamsOptions,
  { stallSeconds }: SentStream,
  { key, leaseId, cursor }: ClaimedPage,
  { problem, retryAfterMs }: SendOutcome & { readonly problem: string },
): Promise<void> {
  const now = nowMs();
  const failures = cursor.failures + 1;
  const failingSinceMs = cursor.failingSinceMs ?? now;
  const stallsNow = cursor.stalledAtMs === null && now - failingSinceMs >= stallSeconds * 1000;
  const nextAttemptAtMs = nextStreamAttemptMs(failures, retryAfterMs, now, Math.random());
  const stalledAtMs = stallsNow ? now : cursor.stalledAtMs;
  const isOurs = await inTransaction(database, async (transaction) => {
    const failed = { failures, failingSinceMs, stalledAtMs, nextAttemptAtMs, problem };
    if (!(await failCursor(transaction, key, leaseId, failed))) return false;
    if (stallsNow) await tellStalled(transaction, key, { problem, sinceMs: failingSinceMs, nowMs: now });
    return true;
  });
  if (!isOurs) return;
  if (stallsNow) onStalled(key, problem, failingSinceMs);
  // At the first failure, the second, the fourth and so on, so that a long outage fills no log.
  else if ((failures & (failures - 1)) === 0) onFailing(key, problem, failures);
}
