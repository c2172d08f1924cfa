/** A rate limit: a bucket of tokens, one per request, that refills over time. */
export interface BucketPolicy {
  /** The capacity of a bucket: how many requests may arrive at once. */
  readonly tokensMax: number;
  readonly tokensPerSecond: number;
}

/** The state of a bucket at one time. Negative if more was taken than it held. */
interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
  readonly policy: BucketPolicy;
}

/** Returns the seconds, a whole number and at least 1, until a bucket gains this many tokens. */
export function secondsToFill({ tokensPerSecond }: BucketPolicy, missingTokens: number): number {
  return Math.max(1, Math.ceil(missingTokens / tokensPerSecond));
}

/** Buckets by name. All have the same policy, except where a call passes another one. */
export interface Buckets {
  readonly policy: BucketPolicy;
  readonly size: number;
  /** Returns the tokens in a bucket now. */
  tokens(name: string, policy?: BucketPolicy): number;
  /** Takes one token, even if none is left. */
  take(name: string, policy?: BucketPolicy): void;
  /** Sets a bucket's tokens to a count from a better source. */
  set(name: string, tokens: number, policy?: BucketPolicy): void;
}

/**
 * Buckets by name, in memory. A bucket that has not been used for a while is full, so it is dropped. All
 * buckets have the same policy, except where a call passes another one.
 */
export class BucketTable implements Buckets {
  readonly policy: BucketPolicy;
  readonly #monotonicMs: () => number;
  readonly #bucketsMax: number;
  /** In order of use, the most recently used last. */
  readonly #buckets = new Map<string, Bucket>();
  /** Iterates from the oldest. A new iterator for each call would step over all removed entries again. */
  #oldest: Iterator<[string, Bucket]> | undefined;
  #next: [string, Bucket] | undefined;

  /** The maximum number of buckets. Beyond it, the least recently used one is dropped and so counts as full. */
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

  /** Returns the tokens in a bucket now. */
  tokens(name: string, policy: BucketPolicy = this.policy): number {
    const bucket = this.#buckets.get(name);
    return bucket ? filled(bucket, policy, this.#monotonicMs()) : policy.tokensMax;
  }

  /** Takes one token, even if none is left. */
  take(name: string, policy: BucketPolicy = this.policy): void {
    this.set(name, this.tokens(name, policy) - 1, policy);
  }

  /** Sets a bucket's tokens to a count from a better source. */
  set(name: string, tokens: number, policy: BucketPolicy = this.policy): void {
    const nowMs = this.#monotonicMs();
    this.#buckets.delete(name);
    this.#buckets.set(name, { tokens, atMs: nowMs, policy });
    this.#forget(nowMs);
  }

  /** Checks the oldest two, so that the table shrinks faster than it grows and no call takes long. */
  #forget(nowMs: number): void {
    for (let looks = 0; looks < 2; looks++) {
      const oldest = this.#findOldest();
      if (!oldest) return;
      const [name, bucket] = oldest;
      const isFull = filled(bucket, bucket.policy, nowMs) >= bucket.policy.tokensMax;
      if (!isFull && this.#buckets.size <= this.#bucketsMax) return;
      this.#buckets.delete(name);
    }
  }

  #findOldest(): [string, Bucket] | undefined {
    // A bucket that was used again is now among the newest.
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

function filled(
  { tokens, atMs }: Bucket,
  { tokensMax, tokensPerSecond }: BucketPolicy,
  nowMs: number,
): number {
  return Math.min(tokensMax, tokens + ((nowMs - atMs) / 1000) * tokensPerSecond);
}
