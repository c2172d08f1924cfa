import { afterPauseMs } from '../retry-times.ts';

const firstPauseMs = 1000;
const pauseMaxMs = 60_000;
/** No receiver can ask for a longer pause. */
const retryAfterMaxMs = 3_600_000;

/**
 * Returns when a batch is sent again: after 1 s, 2 s, 4 s and so on, a minute at most. There is no last attempt.
 *
 * @param failures failed attempts since the last success, at least 1
 * @param retryAfterMs the pause that the receiver asks for; 0 for none
 * @param random from 0 to 1
 */
export function nextStreamAttemptMs(
  failures: number,
  retryAfterMs: number,
  nowMs: number,
  random: number,
): number {
  const pauseMs = Math.min(firstPauseMs * 2 ** (Math.min(failures, 16) - 1), pauseMaxMs);
  return afterPauseMs(pauseMs, Math.min(retryAfterMs, retryAfterMaxMs), nowMs, random);
}
