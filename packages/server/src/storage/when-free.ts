import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './storage-error.ts';

/**
 * Runs one SQLite call, and retries while another connection holds the lock that it needs.
 *
 * SQLite's own busy timeout would block the whole process while it waits, and forever if the lock is held by a
 * transaction of this same process. Waiting here lets everything else continue.
 *
 * @param timeoutMs after this time, SQLite's error is thrown
 */
export async function whenFree<Result>(
  run: () => Promise<Result> | Result,
  timeoutMs: number,
): Promise<Result> {
  let waitedMs = 0;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
    }
    // Random waits, so that two callers waiting for the same lock don't collide again and again.
    const waitMs = Math.min(timeoutMs - waitedMs, 2 + Math.random() * 10);
    await sleep(waitMs);
    waitedMs += waitMs;
  }
}
