import { clockTime, dayOf, shortTime } from './time-words.ts';

/** What happened in one step of time. */
export interface TimePoint {
  /** RFC 3339. */
  readonly startsAt: string;
  readonly accepted: number;
  readonly refused: number;
}

/** How a step of time is called: its day, or its day and hour. */
export function pointName(startsAt: string, interval: 'hour' | 'day'): string {
  return interval === 'day' ? dayOf(startsAt) : shortTime(startsAt);
}

/** How a step of time is called on the axis. */
export function tickName(startsAt: string, interval: 'hour' | 'day'): string {
  return interval === 'day' ? dayOf(startsAt).replace(/ \d{4}$/, '') : clockTime(startsAt);
}

/** The next number up that is easy to read and to halve. */
export function niceMax(max: number): number {
  if (max <= 4) return max <= 2 ? 2 : 4;
  const power = 10 ** Math.floor(Math.log10(max));
  const step = [1, 2, 4, 6, 8, 10].find((each) => each * power >= max) ?? 10;
  return step * power;
}
