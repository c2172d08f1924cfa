/** How many attempts a webhook gets, and how many it has had. */
export interface AttemptRate {
  /** Null for no limit. */
  readonly attemptsPerMinuteMax: number | null;
  /** Nothing is attempted before this time. Whoever moves it on has taken attempts. */
  readonly throttledUntilMs: number;
}

const minuteMs = 60_000;
/**
 * So much of what a webhook did not use is made up for, so that it loses nothing while nodes look for work only now and
 * then: a tenth of its attempts per minute.
 */
const savedMs = minuteMs / 10;
/** A time that is further ahead was written by a clock that was wrong: no pause between two attempts is longer than a minute. */
export const throttledAheadMaxMs: number = 2 * minuteMs;

/**
 * Returns how many attempts may begin now: at most one more than a tenth of those per minute. This is the generic cell rate
 * algorithm (ITU-T I.371): in no 60 seconds do more begin than those per minute and a tenth, rounded up.
 */
export function attemptsAllowed(
  { attemptsPerMinuteMax, throttledUntilMs }: AttemptRate,
  nowMs: number,
): number {
  if (attemptsPerMinuteMax === null) return Infinity;
  const startMs = startOf(throttledUntilMs, nowMs);
  if (startMs > nowMs) return 0;
  return Math.floor((nowMs - startMs) / (minuteMs / attemptsPerMinuteMax)) + 1;
}

/** Returns the time before which nothing more is attempted, once so many attempts begin now. Rounded up, so never too early. */
export function throttledUntil(
  { throttledUntilMs }: AttemptRate,
  attemptsPerMinuteMax: number,
  count: number,
  nowMs: number,
): number {
  return Math.ceil(startOf(throttledUntilMs, nowMs) + (count * minuteMs) / attemptsPerMinuteMax);
}

function startOf(throttledUntilMs: number, nowMs: number): number {
  return throttledUntilMs > nowMs + throttledAheadMaxMs ? nowMs : Math.max(throttledUntilMs, nowMs - savedMs);
}
