import { spanMs } from '../request-log/counts/request-counts.ts';

const hourMs = spanMs.hour;
const quietHours = 24;

/** Returns the start of the first hour that `firstHourAfterQuiet` needs to know, and that of the present one. */
export function hoursToLookAt(nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const toMs = nowMs - (nowMs % hourMs);
  return { fromMs: toMs - (2 * quietHours - 1) * hourMs, toMs };
}

/**
 * Returns the hour of the last day in which something began after a quiet day; undefined if it did not.
 *
 * @param hours how often it happened, by the start of the hour
 */
export function firstHourAfterQuiet(hours: ReadonlyMap<number, number>, nowMs: number): number | undefined {
  const { toMs } = hoursToLookAt(nowMs);
  for (let startMs = toMs - (quietHours - 1) * hourMs; startMs <= toMs; startMs += hourMs) {
    const isQuiet = Array.from({ length: quietHours }, (_, index) => startMs - (index + 1) * hourMs).every(
      (before) => (hours.get(before) ?? 0) === 0,
    );
    if ((hours.get(startMs) ?? 0) > 0 && isQuiet) return startMs;
  }
  return undefined;
}

/** Adds up what happened from an hour on. */
export function countSince(hours: ReadonlyMap<number, number>, fromMs: number): number {
  return [...hours].reduce((sum, [startMs, some]) => (startMs < fromMs ? sum : sum + some), 0);
}
