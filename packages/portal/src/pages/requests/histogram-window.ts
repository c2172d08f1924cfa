import { statisticsLimits } from '@countersign/contract';
import { stepMs } from '../../components/range-picker.tsx';
import { type TimeRange, timeRangeQuery } from '../../lists/period.ts';

/** The time that the bars cover, in whole steps. */
export interface HistogramWindow {
  readonly interval: keyof typeof stepMs;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/** The bars from the first to the last one. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
}

/** Longer windows have a bar for each day. Seven days touch one hour more. */
const hoursMax = 7 * 24 + 1;
/** A shorter range is shown among the hours around it. */
const hoursMin = 6;
const hoursAround = 24;
/** Without a start. */
const defaultMs = 30 * stepMs.day;

/**
 * Returns the window for a list's time range. A range of a few hours keeps the window in which it was chosen, so
 * that the bars stay under the pointer.
 */
export function windowOf(
  range: TimeRange,
  nowMs: number,
  before: HistogramWindow | undefined,
): HistogramWindow {
  const bounds = boundsOf(range, nowMs);
  const hours = aligned('hour', bounds.fromMs, bounds.toMs);
  const count = (hours.toMs - hours.fromMs) / stepMs.hour;
  if (count > hoursMax) return aligned('day', bounds.fromMs, bounds.toMs);
  if (count >= hoursMin) return hours;
  if (before?.interval === 'hour' && before.fromMs <= hours.fromMs && hours.toMs <= before.toMs)
    return before;
  const after = Math.floor((hoursAround - count) / 2) * stepMs.hour;
  const toMs = Math.min(hours.toMs + after, aligned('hour', nowMs - 1, nowMs).toMs);
  return { interval: 'hour', fromMs: toMs - hoursAround * stepMs.hour, toMs };
}

/** Returns the bars that a list's time range covers; undefined if it covers them all, or none. */
export function stretchOf(range: TimeRange, nowMs: number, window: HistogramWindow): Stretch | undefined {
  const { fromMs, toMs } = boundsOf(range, nowMs);
  const step = stepMs[window.interval];
  const count = (window.toMs - window.fromMs) / step;
  const first = Math.max(0, Math.floor((fromMs - window.fromMs) / step));
  const last = Math.min(count, Math.ceil((toMs - window.fromMs) / step)) - 1;
  return first > last || (first === 0 && last === count - 1) ? undefined : { first, last };
}

function boundsOf(range: TimeRange, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const { from, to } = timeRangeQuery(range, nowMs);
  const endMs = to === undefined ? nowMs : Math.min(Date.parse(to), nowMs);
  const startMs = from === undefined ? endMs - defaultMs : Date.parse(from);
  const firstMs = endMs - (statisticsLimits.daysMax - 1) * stepMs.day;
  return { fromMs: Math.max(firstMs, Math.min(startMs, endMs - 1)), toMs: endMs };
}

function aligned(interval: keyof typeof stepMs, fromMs: number, toMs: number): HistogramWindow {
  const step = stepMs[interval];
  return { interval, fromMs: Math.floor(fromMs / step) * step, toMs: Math.ceil(toMs / step) * step };
}
