import type { Address, NetworkWhitelist } from '@countersign/contract/network';
import { BucketTable, secondsToFill } from './token-bucket.ts';

/** Addresses that are remembered at most; beyond it the one that failed longest ago is forgotten. */
const addressesMax = 100_000;

export interface FailureLimitOptions {
  /** Failures a minute that each address may make; as many may come at once. */
  readonly failuresPerMinuteMax: number;
  /** They send the requests of others, so they are never limited themselves. */
  readonly trustedProxies: Pick<NetworkWhitelist, 'allows'>;
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number;
}

/**
 * How many requests may fail that come from one address, before who sends them is known. It keeps a flood of them from
 * costing more than a look into a table; against guessing signatures nothing is needed. Each node counts for itself.
 */
export class FailureLimit {
  readonly #buckets: BucketTable;
  readonly #trustedProxies: Pick<NetworkWhitelist, 'allows'>;

  constructor({ failuresPerMinuteMax, trustedProxies, monotonicMs }: FailureLimitOptions) {
    const policy = { tokensMax: failuresPerMinuteMax, tokensPerSecond: failuresPerMinuteMax / 60 };
    this.#buckets = new BucketTable(policy, monotonicMs, addressesMax);
    this.#trustedProxies = trustedProxies;
  }

  /** Addresses that are remembered now. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Seconds until requests of this address are looked at again; 0 when they are now. */
  waitSeconds(address: Address | undefined): number {
    if (this.#buckets.size === 0 || !address) return 0;
    const tokens = this.#buckets.tokens(nameOf(address));
    // A proxy may be in one network with those who fail.
    if (tokens >= 1 || this.#trustedProxies.allows(address)) return 0;
    return secondsToFill(this.#buckets.policy, 1 - tokens);
  }

  /** Counts a failure. An address that cannot be told is that of a trusted proxy that does not say whose request it is. */
  count(address: Address | undefined): void {
    if (address && !this.#trustedProxies.allows(address)) this.#buckets.take(nameOf(address));
  }
}

/** Who has an IPv6 address has the 2^64 addresses of its network (RFC 4291 section 2.5.1). */
function nameOf({ family, words }: Address): string {
  return family === 4 ? String(words[3]) : `${words[0]}:${words[1]}`;
}
