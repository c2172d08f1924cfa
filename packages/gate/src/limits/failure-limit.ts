import { type Address, addressOwner, type NetworkWhitelist } from '@countersign/contract/network';
import { type BucketPolicy, type Buckets, BucketTable, secondsToFill } from './token-bucket.ts';

/** Maximum number of addresses to remember; beyond that, the one with the oldest failure is forgotten. */
const addressesMax = 100_000;

export interface FailureLimitOptions {
  /** Failed requests per minute that each address may make; the same number may arrive at once. */
  readonly failuresPerMinuteMax: number;
  /** Addresses that are never limited, because they forward other people's requests. */
  readonly trustedProxies: Pick<NetworkWhitelist, 'allows'>;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Creates the table of buckets; by default in this thread's memory. */
  readonly makeTable?: ((policy: BucketPolicy) => Buckets) | undefined;
}

/**
 * Limits how many unauthenticated requests may fail per address, so that a flood of them costs no more than a
 * table lookup each. It does not protect signatures: guessing one is hopeless anyway. Each node counts
 * separately.
 */
export class FailureLimit {
  readonly #buckets: Buckets;
  readonly #trustedProxies: Pick<NetworkWhitelist, 'allows'>;

  constructor({ failuresPerMinuteMax, trustedProxies, monotonicMs, makeTable }: FailureLimitOptions) {
    const policy = { tokensMax: failuresPerMinuteMax, tokensPerSecond: failuresPerMinuteMax / 60 };
    this.#buckets = makeTable?.(policy) ?? new BucketTable(policy, monotonicMs, addressesMax);
    this.#trustedProxies = trustedProxies;
  }

  /** The number of addresses in the table. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Returns the seconds until requests from this address are checked again; 0 if they are checked now. */
  waitSeconds(address: Address | undefined): number {
    if (this.#buckets.size === 0 || !address) return 0;
    const tokens = this.#buckets.tokens(addressOwner(address));
    // A proxy may share a network with clients that fail.
    if (tokens >= 1 || this.#trustedProxies.allows(address)) return 0;
    return secondsToFill(this.#buckets.policy, 1 - tokens);
  }

  /** Counts a failure. An unknown address is a trusted proxy that does not say whose request it forwards. */
  count(address: Address | undefined): void {
    if (address && !this.#trustedProxies.allows(address)) this.#buckets.take(addressOwner(address));
  }
}
