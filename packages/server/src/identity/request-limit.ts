import { networkOf } from './guess-limit.ts';
import { BucketTable, type ClientAddress, secondsToFill } from '@countersign/gate';

/**
 * How often somebody may ask for something below `/portal/auth/`: a person in its sessions, and without one an address. Each
 * of these costs a look into the database, and some leave a row there for some minutes. Each node counts for itself.
 */
export class RequestLimit {
  readonly #buckets = new BucketTable(policy, () => performance.now(), countedMax);

  /**
   * Counts a request; gives the seconds to wait, 0 when it may go on.
   *
   * @param userId of the person who is signed in; undefined for a stranger
   */
  take({ address }: ClientAddress, userId: string | undefined): number {
    const name = userId ?? networkOf(address);
    const tokens = this.#buckets.tokens(name);
    if (tokens < 1) return secondsToFill(policy, 1 - tokens);
    this.#buckets.take(name);
    return 0;
  }
}

/** Many at once, because an office may be one address; ten a second in the long run. */
const policy = { tokensMax: 600, tokensPerSecond: 10 } as const;
const countedMax = 100_000;
