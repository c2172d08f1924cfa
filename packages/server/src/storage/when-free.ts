import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './storage-error.ts';

/**
 * Runs one SQLite call, again and again while another connection holds the lock that it needs.
 *
 * SQLite's own busy time-out would stop the whole process while it waits, and for good when the lock is held by a
 * transaction of this very process. Waiting here lets everything else go on.
 *
 * @param timeoutMs after this time the error of SQLite is thrown
 */
export async function whenFree<Result>(run: () => Result, timeoutMs: number): Promise<Result> {
  let waitedMs = 0;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
    }
    // Different waits, so that two who wait for the same lock do not meet again and again.
    const waitMs = Math.min(timeoutMs - waitedMs, 2 + Math.random() * 10);
    await sleep(waitMs);
    waitedMs += waitMs;
  }
}
