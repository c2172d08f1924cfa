/** The first and the last second of a range. Unix seconds. */
export type SecondRange = readonly [first: number, last: number];

/**
 * More than the gaps that an ordinary time window leaves ahead of the clock, so that merging costs only past
 * seconds.
 */
const rangesMax = 32;

/**
 * An immutable set of seconds, as a few ranges. It may contain more seconds than were added, but never fewer: the
 * oldest ranges are merged when there are too many, because they are the first to leave the time window.
 */
export class SecondRanges {
  static readonly none: SecondRanges = new SecondRanges([]);
  /** In order, with at least one second between two ranges. */
  readonly #ranges: readonly SecondRange[];

  private constructor(ranges: readonly SecondRange[]) {
    this.#ranges = ranges;
  }

  /** Returns every second up to this one. */
  static upTo(last: number): SecondRanges {
    return last < 0 ? SecondRanges.none : new SecondRanges([[0, last]]);
  }

  /** Reads what `toJSON` returned; undefined for anything else. */
  static parse(value: unknown): SecondRanges | undefined {
    return Array.isArray(value) && value.every(isRange)
      ? value.reduce<SecondRanges>((ranges, range) => ranges.with(range), SecondRanges.none)
      : undefined;
  }

  has(second: number): boolean {
    // Most requests ask for the latest seconds.
    for (let index = this.#ranges.length - 1; index >= 0; index--) {
      const [first, last] = this.#ranges[index]!;
      if (second > last) return false;
      if (second >= first) return true;
    }
    return false;
  }

  /** Returns the first second from this one on that is not in the set. */
  firstMissing(from: number): number {
    const range = this.#ranges.find(([first, last]) => first <= from && from <= last);
    return range ? range[1] + 1 : from;
  }

  /** Returns a set that also contains this range. */
  with([first, last]: SecondRange): SecondRanges {
    const before = this.#ranges.filter(([, end]) => end < first - 1);
    const after = this.#ranges.filter(([start]) => start > last + 1);
    const touched = this.#ranges.slice(before.length, this.#ranges.length - after.length);
    const start = Math.min(first, touched.at(0)?.[0] ?? first);
    const end = Math.max(last, touched.at(-1)?.[1] ?? last);
    return new SecondRanges(mergeOldest([...before, [start, end], ...after]));
  }

  /** Returns a set that also contains every second of another one. */
  union(other: SecondRanges): SecondRanges {
    return other.#ranges.reduce<SecondRanges>((ranges, range) => ranges.with(range), this);
  }

  /**
   * Returns after how many seconds a caller can sign for one that is not in the set. Assumes that a caller
   * whose clock is fast stays fast, and that any other caller signs with the right time.
   */
  waitSeconds(created: number, nowSeconds: number): number {
    const latest = Math.max(created, nowSeconds);
    return this.firstMissing(latest + 1) - latest;
  }

  toJSON(): readonly SecondRange[] {
    return this.#ranges;
  }
}

/** Reserves this many seconds on both sides of the clock, so that ordinary traffic reserves every 3 seconds. */
const reserveAroundSeconds = 2;
/** Reserves this many seconds at once where they are past. */
const pastBlockSeconds = 16;

/** Returns true for seconds around the clock, which are reserved together. */
export function isNearClock(created: number, nowSeconds: number): boolean {
  return Math.abs(created - Math.floor(nowSeconds)) <= reserveAroundSeconds;
}

/**
 * Returns what to reserve for a signature: the seconds around the clock, a block of past ones, or a second ahead alone.
 *
 * Each reservation is a write that waits for the disk, so a client must not be able to cause one for each second of the
 * window. After a crash, a block costs callers with a slow clock a few seconds; a block ahead would cost everybody as much.
 */
export function rangeToReserve(created: number, nowSeconds: number): SecondRange {
  const now = Math.floor(nowSeconds);
  if (isNearClock(created, nowSeconds)) return [now - reserveAroundSeconds, now + reserveAroundSeconds];
  if (created > now) return [created, created];
  const first = created - (created % pastBlockSeconds);
  return [first, Math.min(first + pastBlockSeconds, now - reserveAroundSeconds) - 1];
}

function mergeOldest(ranges: readonly SecondRange[]): readonly SecondRange[] {
  const mergedCount = ranges.length - rangesMax + 1;
  if (mergedCount < 2) return ranges;
  const merged: SecondRange = [ranges[0]![0], ranges[mergedCount - 1]![1]];
  return [merged, ...ranges.slice(mergedCount)];
}

function isRange(value: unknown): value is SecondRange {
  return (
    Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger) && value[0] <= value[1]
  );
}
