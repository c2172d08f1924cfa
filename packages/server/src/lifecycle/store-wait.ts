import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isStoreAway } from '../storage/storage-error.ts';

export interface StoreWaitOptions {
  /** How long to wait; 0 for no limit. */
  readonly secondsMax: number;
  readonly logger: Logger;
  /** Ends the wait. An attempt in progress gets a moment to finish and close whatever it has opened. */
  readonly interruption?: AbortSignal | undefined;
  /** The pause between two attempts. Default 1,000; tests wait less. */
  readonly pauseMs?: number;
}

const logEveryMs = 30_000;
/** A store that hangs must not delay an interrupted start. */
const interruptedAttemptMsMax = 2000;

/**
 * Opens parts that need PostgreSQL or Redis, and retries while one of them is unavailable. The log says what the
 * start is waiting for, at once and every half minute. Rejects with the error of an attempt if waiting does not
 * help, as with a wrong password.
 */
export async function whenStoresRespond<Opened>(
  open: () => Promise<Opened>,
  { secondsMax, logger, interruption, pauseMs = 1000 }: StoreWaitOptions,
): Promise<Opened> {
  const startedMs = performance.now();
  const waitedSeconds = (): number => Math.round((performance.now() - startedMs) / 1000);
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const opened = await unlessInterrupted(open, interruption);
      if (attempt > 1) logger.info({ waitedSeconds: waitedSeconds() }, 'every store is available');
      return opened;
    } catch (error) {
      const isOver = secondsMax > 0 && performance.now() - startedMs >= secondsMax * 1000;
      if (!isStoreAway(error) || isOver) throw error;
      if (performance.now() - loggedAtMs >= logEveryMs) {
        const { message: reason } = error as Error;
        logger.error({ reason, waitedSeconds: waitedSeconds() }, 'waiting for a store that is unavailable');
        loggedAtMs = performance.now();
      }
    }
    await sleep(pauseMs, undefined, { signal: interruption }).catch(() => undefined);
  }
}

/** Rejects with the reason of the interruption once the attempt has ended, or has taken too long. */
async function unlessInterrupted<Opened>(
  open: () => Promise<Opened>,
  interruption: AbortSignal | undefined,
): Promise<Opened> {
  if (interruption === undefined) return open();
  interruption.throwIfAborted();
  const attempt = open();
  const ended = attempt.then(nothing, nothing);
  const { promise: interrupted, resolve } = Promise.withResolvers<void>();
  interruption.addEventListener('abort', () => resolve(), { once: true });
  await Promise.race([ended, interrupted]);
  if (interruption.aborted)
    await Promise.race([ended, sleep(interruptedAttemptMsMax, undefined, { ref: false })]);
  interruption.throwIfAborted();
  return attempt;
}

function nothing(): undefined {
  return undefined;
}
