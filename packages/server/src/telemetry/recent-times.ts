/** The figures of recent minutes. */
export interface RecentFigures {
  readonly count: number;
  readonly failedCount: number;
  /** The median; undefined if nothing was measured. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
}

interface Slot {
  minute: number;
  count: number;
  failedCount: number;
  readonly samples: number[];
}

const minutesKept = 5;
const samplesPerMinute = 500;
const minuteMs = 60_000;

/**
 * Records how long something took in the last five minutes. Keeps a random sample per minute, so that a busy
 * node needs no more memory than an idle one. Recording takes less than a microsecond.
 */
export class RecentTimes {
  readonly #monotonicMs: () => number;
  readonly #slots: Slot[] = Array.from({ length: minutesKept }, () => ({
    minute: -1,
    count: 0,
    failedCount: 0,
    samples: [],
  }));

  /** @param monotonicMs a monotonic clock, in milliseconds */
  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  note(durationMs: number, isFailed = false): void {
    const minute = Math.floor(this.#monotonicMs() / minuteMs);
    const slot = this.#slots[minute % minutesKept]!;
    if (slot.minute !== minute) {
      slot.minute = minute;
      slot.count = 0;
      slot.failedCount = 0;
      slot.samples.length = 0;
    }
    slot.count += 1;
    if (isFailed) slot.failedCount += 1;
    // Each duration of the minute is equally likely to be in the sample.
    if (slot.samples.length < samplesPerMinute) slot.samples.push(durationMs);
    else {
      const place = Math.floor(Math.random() * slot.count);
      if (place < samplesPerMinute) slot.samples[place] = durationMs;
    }
  }

  figures(): RecentFigures {
    const now = Math.floor(this.#monotonicMs() / minuteMs);
    const slots = this.#slots.filter(({ minute }) => minute > now - minutesKept && minute >= 0);
    // Samples are weighted by their minute's number of requests.
    const weighed = slots.flatMap(({ samples, count }) =>
      samples.map((durationMs) => ({ durationMs, weight: count / samples.length })),
    );
    weighed.sort((one, other) => one.durationMs - other.durationMs);
    return {
      count: slots.reduce((sum, { count }) => sum + count, 0),
      failedCount: slots.reduce((sum, { failedCount }) => sum + failedCount, 0),
      p50Ms: quantile(weighed, 0.5),
      p99Ms: quantile(weighed, 0.99),
    };
  }
}

function quantile(
  weighed: readonly { readonly durationMs: number; readonly weight: number }[],
  share: number,
): number | undefined {
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  let passed = 0;
  return weighed.find(({ weight }) => (passed += weight) >= total * share - 1e-9)?.durationMs;
}
