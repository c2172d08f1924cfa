const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The pauses after the first attempt, the second, and so on. After the last one, the delivery has failed. */
const pausesMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
];

/** So much longer a pause can be, so that what failed together does not come back together. */
const jitter = 0.1;
/** No receiver can ask for a longer pause. */
const retryAfterMaxMs = 24 * hour;

/**
 * Returns when a delivery is tried again; undefined if that was the last attempt.
 *
 * @param attemptCount the attempts so far, with the one that has just failed
 * @param retryAfterMs the pause that the receiver asks for; 0 for none
 * @param random from 0 to 1
 * @param scale multiplies the pauses of this table, in tests
 */
export function nextAttemptMs(
  attemptCount: number,
  retryAfterMs: number,
  nowMs: number,
  random: number,
  scale = 1,
): number | undefined {
  const pauseMs = pausesMs[attemptCount - 1];
  if (pauseMs === undefined) return undefined;
  return afterPauseMs(pauseMs * scale, retryAfterMs, nowMs, random);
}

/** Returns the time after a pause that is a little longer at random, or after the one that the receiver asks for. */
export function afterPauseMs(pauseMs: number, retryAfterMs: number, nowMs: number, random: number): number {
  return nowMs + Math.max(Math.round(pauseMs * (1 + jitter * random)), retryAfterMs);
}

/** After this many failures, a webhook has its longest pause. */
const longestHoldAt = 3;
/** A receiver that answers is alive: so many failures in a row may be about single events. */
const answeredFailuresMax = 5;

/**
 * Returns until when nothing is sent to a webhook that fails. Then one delivery is tried, for all that wait. Without jitter,
 * so never later than the delivery that has just failed.
 *
 * @param failureCount the failures in a row, with the last one
 * @param isAnswered whether the receiver itself answered
 * @param scale multiplies the pause, for tests
 */
export function heldUntilMs(failureCount: number, isAnswered: boolean, nowMs: number, scale = 1): number {
  const counted = isAnswered ? failureCount - answeredFailuresMax : failureCount;
  return nowMs + Math.round((pausesMs[Math.min(counted, longestHoldAt) - 1] ?? 0) * scale);
}

/**
 * Reads `Retry-After` (RFC 9110 section 10.2.3): seconds or a date. Returns milliseconds, at most 24 hours; 0 for anything
 * else.
 */
export function readRetryAfterMs(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0;
  const text = value.trim();
  const pauseMs = /^[0-9]{1,9}$/.test(text) ? Number(text) * second : Date.parse(text) - nowMs;
  return pauseMs > 0 ? Math.min(pauseMs, retryAfterMaxMs) : 0;
}
