import { type BucketPolicy, BucketTable, secondsToFill } from './token-bucket.ts';

/** Buckets that all nodes take from. Resolves with the tokens that are left, undefined when nobody can tell. Never rejects. */
export interface SharedBuckets {
  take(name: string, policy: BucketPolicy): Promise<number | undefined>;
}

export interface ClientLimitOptions {
  /** Requests a minute that each client may make in the long run. */
  readonly requestsPerMinuteMax: number;
  /** Requests that may come at once. */
  readonly requestsBurstMax: number;
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number;
  /** Undefined: each node counts for itself. */
  readonly shared?: SharedBuckets | undefined;
}

/**
 * How many requests a client may make.
 *
 * It is asked before the body is read, and charged when the request is accepted. So whoever repeats a client's request,
 * or sends its head with another body, takes nothing from the client. Requests that are on their way at the same time
 * may together take more than there is; then the next ones wait until that is made up for.
 *
 * With several nodes each charge goes to the shared bucket, and its answer is what this node goes by next. Nobody waits
 * for it but the answer that tells it.
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

  /** Seconds until the client may make a request; 0 when it may now. */
  waitSeconds(clientId: string): number {
    const tokens = this.#buckets.tokens(clientId);
    return tokens >= 1 ? 0 : secondsToFill(this.#buckets.policy, 1 - tokens);
  }

  /** Counts an accepted request. Resolves, soon, when `fields` knows what the other nodes have counted. */
  charge(clientId: string): Promise<void> | undefined {
    this.#buckets.take(clientId);
    return this.#shared?.take(clientId, this.#buckets.policy).then((tokens) => {
      if (tokens !== undefined) this.#buckets.set(clientId, tokens);
    });
  }

  /**
   * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11): `r` requests may come now. `t` is the
   * time in which the bucket is full again, so that who spreads them over it keeps the limit; when there is none left,
   * it is the time to wait, as in `Retry-After`.
   */
  fields(clientId: string): Record<string, string> {
    const { policy } = this.#buckets;
    const tokens = this.#buckets.tokens(clientId);
    const left = Math.max(0, Math.floor(tokens));
    const seconds = secondsToFill(policy, left === 0 ? 1 - tokens : policy.tokensMax - tokens);
    return { 'RateLimit-Policy': this.#policyField, RateLimit: `"client";r=${left};t=${seconds}` };
  }
}
