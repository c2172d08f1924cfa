import { type BucketPolicy, BucketTable } from '@countersign/gate';

/** How many fetches requests may cause. Half of each rate may come at once. */
export interface StrangerLimits {
  /** At the same time. */
  readonly concurrentMax: number;
  readonly perMinute: number;
  readonly perHostPerMinute: number;
  /** For one caller's address; an IPv6 network of 64 bits counts as one. */
  readonly perAskerPerMinute: number;
}

export const strangerLimits: StrangerLimits = {
  concurrentMax: 8,
  perMinute: 60,
  perHostPerMinute: 10,
  perAskerPerMinute: 6,
};

/**
 * Limits the fetches that requests cause: whoever sends a request has proved nothing yet. A quarter of everything is reserved for
 * directories that clients are registered with, so that made-up ones cannot keep a client's new key out.
 */
export class StrangerBudget {
  readonly #limits: StrangerLimits;
  readonly #all: BucketTable;
  readonly #hosts: BucketTable;
  readonly #askers: BucketTable;
  #running = 0;

  constructor(limits: StrangerLimits, monotonicMs: () => number) {
    this.#limits = limits;
    this.#all = new BucketTable(perMinute(limits.perMinute), monotonicMs);
    this.#hosts = new BucketTable(perMinute(limits.perHostPerMinute), monotonicMs, 10_000);
    this.#askers = new BucketTable(perMinute(limits.perAskerPerMinute), monotonicMs, 10_000);
  }

  /** Takes what one fetch needs, or returns false. After true, call `release` when the fetch is over. */
  take(hostname: string, asker: string, isRegistered: boolean): boolean {
    const { concurrentMax, perMinute: allMax } = this.#limits;
    const reserve = isRegistered ? 0 : 0.25;
    const isFree =
      this.#running < Math.max(1, Math.floor(concurrentMax * (1 - reserve))) &&
      this.#all.tokens('') >= 1 + (allMax / 2) * reserve &&
      this.#hosts.tokens(hostname) >= 1 &&
      this.#askers.tokens(asker) >= 1;
    if (!isFree) return false;
    this.#running += 1;
    this.#all.take('');
    this.#hosts.take(hostname);
    this.#askers.take(asker);
    return true;
  }

  release(): void {
    this.#running -= 1;
  }
}

/** A full bucket and what flows in within a minute make up the rate. */
function perMinute(count: number): BucketPolicy {
  return { tokensMax: count / 2, tokensPerSecond: count / 2 / 60 };
}
