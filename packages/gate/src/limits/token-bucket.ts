/** How much may come: a bucket of tokens, one for each request, that fills by itself. */
export interface BucketPolicy {
  /** Tokens of a full bucket: what may come at once. */
  readonly tokensMax: number;
  readonly tokensPerSecond: number;
}

/** A bucket as it was at one time. It has less than nothing when more was taken than it held. */
interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** Seconds, in whole numbers and at least one, until a bucket that has so many tokens has so many more. */
export function secondsToFill({ tokensPerSecond }: BucketPolicy, missingTokens: number): number {
  return Math.max(1, Math.ceil(missingTokens / tokensPerSecond));
}

/** Buckets by name, in memory. One that nobody has taken from for a while is full, and not kept. */
export class BucketTable {
  readonly policy: BucketPolicy;
  readonly #monotonicMs: () => number;
  readonly #bucketsMax: number;
  /** The one that was taken from last is the last one. */
  readonly #buckets = new Map<string, Bucket>();
  /** Goes through them from the oldest on. One that begins anew each time would step over all that were removed. */
  #oldest: Iterator<[string, Bucket]> | undefined;
  #next: [string, Bucket] | undefined;

  /** Beyond `bucketsMax` the bucket that was not used for the longest time is forgotten, and so full. */
  constructor(
    policy: BucketPolicy,
    monotonicMs: () => number,
    bucketsMax: number = Number.POSITIVE_INFINITY,
  ) {
    this.policy = policy;
    this.#monotonicMs = monotonicMs;
    this.#bucketsMax = bucketsMax;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** The tokens of a bucket now. */
  tokens(name: string): number {
    const bucket = this.#buckets.get(name);
    return bucket ? this.#filled(bucket, this.#monotonicMs()) : this.policy.tokensMax;
  }

  /** Takes one token, whether there is one or not. */
  take(name: string): void {
    this.set(name, this.tokens(name) - 1);
  }

  /** Sets the tokens of a bucket, for someone who knows better. */
  set(name: string, tokens: number): void {
    const nowMs = this.#monotonicMs();
    this.#buckets.delete(name);
    this.#buckets.set(name, { tokens, atMs: nowMs });
    this.#forget(nowMs);
  }

  #filled({ tokens, atMs }: Bucket, nowMs: number): number {
    return Math.min(this.policy.tokensMax, tokens + ((nowMs - atMs) / 1000) * this.policy.tokensPerSecond);
  }

  /** Looks at the oldest two, so that the table shrinks faster than it grows and no call takes long. */
  #forget(nowMs: number): void {
    for (let looks = 0; looks < 2; looks++) {
      const oldest = this.#findOldest();
      if (!oldest) return;
      const [name, bucket] = oldest;
      const isFull = this.#filled(bucket, nowMs) >= this.policy.tokensMax;
      if (!isFull && this.#buckets.size <= this.#bucketsMax) return;
      this.#buckets.delete(name);
    }
  }

  #findOldest(): [string, Bucket] | undefined {
    // One that was taken from again is among the youngest.
    while (!this.#next || this.#buckets.get(this.#next[0]) !== this.#next[1]) {
      this.#oldest ??= this.#buckets.entries();
      const step = this.#oldest.next();
      if (step.done) {
        this.#oldest = this.#next = undefined;
        return undefined;
      }
      this.#next = step.value;
    }
    return this.#next;
  }
}
