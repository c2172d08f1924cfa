import { type BucketPolicy, BucketTable, secondsToFill } from './token-bucket.ts';

/**
 * Buckets that all nodes share. `take` resolves with the tokens left, or undefined if they are unknown. Never rejects.
 */
export interface SharedBuckets {
  take(name: string, policy: BucketPolicy): Promise<number | undefined>;
}

export interface ClientLimitOptions {
  /** Requests per minute that each client may make on average. */
  readonly requestsPerMinuteMax: number;
  /** Requests that may come at once. */
  readonly requestsBurstMax: number;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Undefined: each node counts separately. */
  readonly shared?: SharedBuckets | undefined;
}

/**
 * Limits how many requests each client may make.
 *
 * The limit is checked before the body is read and charged when the request is accepted. So replaying a client's
 * request, or sending its head with another body, costs the client nothing. Concurrent requests may together take more
 * than is left; the next ones then wait until the balance is positive again.
 *
 * With several nodes, each charge goes to the shared bucket, and its result becomes this node's count. Only the answer
 * that reports it waits for it.
 */
export class ClientLimit {
  readonly #buckets: BucketTable;
  readonly #shared: SharedBuckets | undefined;
  readonly #policyField: string;

  constructor({ requestsPerMinuteMax, requestsBurstMax, monotonicMs, shared }: ClientLimitOptions) {
    this.#buckets = new BucketTable(
      { tokensMax: requestsBurstMax, tokensPerSecond: requestsPerMinuteMax / 60 },
      monotonicMs,
    );
    this.#shared = shared;
    this.#policyField = `"client";q=${requestsPerMinuteMax};w=60`;
  }

  /** Returns the seconds until the client may make a request; 0 if it may now. */
  waitSeconds(clientId: string): number {
    const tokens = this.#buckets.tokens(clientId);
    return tokens >= 1 ? 0 : secondsToFill(this.#buckets.policy, 1 - tokens);
  }

  /** Counts an accepted request. Resolves shortly after, once `fields` includes the other nodes' counts. */
  charge(clientId: string): Promise<void> | undefined {
    this.#buckets.take(clientId);
    return this.#shared?.take(clientId, this.#buckets.policy).then((tokens) => {
      if (tokens !== undefined) this.#buckets.set(clientId, tokens);
    });
  }

  /**
   * Returns `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11). `r` is the number of requests
   * that may come now. `t` is the number of seconds until the bucket is full, so a client that spreads its `r` requests
   * over `t` stays within the limit. When none are left, `t` is the time to wait, as in `Retry-After`.
   */
  fields(clientId: string): Record<string, string> {
    const { policy } = this.#buckets;
    const tokens = this.#buckets.tokens(clientId);
    const left = Math.max(0, Math.floor(tokens));
    const seconds = secondsToFill(policy, left === 0 ? 1 - tokens : policy.tokensMax - tokens);
    return { 'RateLimit-Policy': this.#policyField, RateLimit: `"client";r=${left};t=${seconds}` };
  }
}
