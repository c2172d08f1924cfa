import type { Client, Key } from '@countersign/contract';

export interface KeyCounts {
  readonly active: number;
  readonly pending: number;
  readonly retiring: number;
  /** The earliest end of the retiring keys. */
  readonly nextEndMs: number | undefined;
  readonly rotation: 'due' | 'overdue' | undefined;
}

export function countKeys({ keys }: Pick<Client, 'keys'>): KeyCounts {
  const inState = (status: Key['status']): readonly Key[] => keys.filter((key) => key.status === status);
  const ends = inState('retiring').flatMap(({ endsAt }) =>
    endsAt === undefined ? [] : [Date.parse(endsAt)],
  );
  const rotations = new Set(keys.map(({ rotation }) => rotation));
  return {
    active: inState('active').length,
    pending: inState('pending').length,
    retiring: inState('retiring').length,
    nextEndMs: ends.length > 0 ? Math.min(...ends) : undefined,
    // A second key means the rotation is in progress.
    rotation:
      keys.length > 1
        ? undefined
        : rotations.has('overdue')
          ? 'overdue'
          : rotations.has('due')
            ? 'due'
            : undefined,
  };
}

export interface LeftWords {
  readonly days: (days: number) => string;
  readonly hours: (hours: number) => string;
  readonly minutes: (minutes: number) => string;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats the time left in the largest unit that has at least two: `2 d`, `30 h`, `45 min`. */
export function timeLeft(untilMs: number, nowMs: number, words: LeftWords): string {
  const leftMs = Math.max(0, untilMs - nowMs);
  if (leftMs >= 2 * dayMs) return words.days(Math.round(leftMs / dayMs));
  if (leftMs >= 2 * hourMs) return words.hours(Math.round(leftMs / hourMs));
  return words.minutes(Math.ceil(leftMs / minuteMs));
}
