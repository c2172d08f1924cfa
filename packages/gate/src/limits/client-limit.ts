import {
  type LimitPolicy,
  limitPolicy,
  type OwnRequestLimits,
  type ServiceRequestLimit,
} from './request-limit.ts';
import { type BucketPolicy, type Buckets, BucketTable, secondsToFill } from './token-bucket.ts';

/** Buckets that all nodes share. `take` resolves with the tokens left, or undefined if unknown. Never rejects. */
export interface SharedBuckets {
  take(name: string, policy: BucketPolicy): Promise<number | undefined>;
}

export interface ClientLimitOptions extends ServiceRequestLimit {
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Creates the table of buckets; by default in this thread's memory. */
  readonly makeTable?: ((policy: BucketPolicy) => Buckets) | undefined;
  /** Shares the counts between nodes; undefined if each node counts separately. */
  readonly shared?: SharedBuckets | undefined;
}

/** A caller whose requests are counted. */
export interface LimitedCaller {
  /** The name under which they are counted. */
  readonly countedAs: string;
  /** Its own limits, if they differ from the service's. */
  readonly ownLimits?: OwnRequestLimits | undefined;
}

/** How many requests a caller may make now. */
export interface LimitState {
  /** Seconds until the caller may make a request; 0 if it may now. */
  readonly waitSeconds: number;
  /**
   * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11). The policy `client` is the average, and
   * `burst` the bucket: a caller that keeps to both never has to wait. `r` is the number of requests that may come now, and
   * `t` the seconds until the bucket is full, so a caller that spreads its `r` requests over `t` stays within the limit.
   * When none are left, `t` is the time to wait, as in `Retry-After`.
   */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Limits how many requests each client may make.
 *
 * The limit is checked before the body is read and charged when the request is accepted. So an attacker who
 * replays a client's request, or sends its head with another body, costs the client nothing. Concurrent
 * requests may together take more than is left; later ones then wait until the balance is positive again.
 *
 * With several nodes, each charge goes to the shared bucket, and its result becomes this node's count. Only
 * the response that reports the count waits for it.
 */
export class ClientLimit {
  readonly #service: ServiceRequestLimit;
  readonly #servicePolicy: LimitPolicy | undefined;
  /** Keyed by the object that a client keeps until it changes. */
  readonly #ownPolicies = new WeakMap<OwnRequestLimits, { readonly policy: LimitPolicy | undefined }>();
  readonly #buckets: Buckets;
  readonly #shared: SharedBuckets | undefined;

  constructor({ monotonicMs, makeTable, shared, ...service }: ClientLimitOptions) {
    this.#service = service;
    this.#servicePolicy = limitPolicy(service);
    const policy = this.#servicePolicy ?? noTokens;
    this.#buckets = makeTable?.(policy) ?? new BucketTable(policy, monotonicMs);
    this.#shared = shared;
  }

  /** Returns how much the caller may do now; undefined if it has no limit. */
  stateOf(caller: LimitedCaller): LimitState | undefined {
    const policy = this.#policyOf(caller);
    if (policy === undefined) return undefined;
    const tokens = this.#buckets.tokens(caller.countedAs, policy);
    const left = Math.max(0, Math.floor(tokens));
    const seconds = secondsToFill(policy, left === 0 ? 1 - tokens : policy.tokensMax - tokens);
    return {
      waitSeconds: left === 0 ? seconds : 0,
      fields: { 'RateLimit-Policy': policy.field, RateLimit: `"burst";r=${left};t=${seconds}` },
    };
  }

  /** Counts an accepted request. Resolves shortly after, once `stateOf` includes the other nodes' counts. */
  charge(caller: LimitedCaller): Promise<void> | undefined {
    const policy = this.#policyOf(caller);
    if (policy === undefined) return undefined;
    const { countedAs } = caller;
    this.#buckets.take(countedAs, policy);
    return this.#shared?.take(countedAs, policy).then((tokens) => {
      if (tokens !== undefined) this.#buckets.set(countedAs, tokens, policy);
    });
  }

  #policyOf({ ownLimits }: LimitedCaller): LimitPolicy | undefined {
    if (ownLimits === undefined) return this.#servicePolicy;
    let known = this.#ownPolicies.get(ownLimits);
    if (!known) {
      known = { policy: limitPolicy(this.#service, ownLimits) };
      this.#ownPolicies.set(ownLimits, known);
    }
    return known.policy;
  }
}

const noTokens: BucketPolicy = { tokensMax: 1, tokensPerSecond: 1 };
