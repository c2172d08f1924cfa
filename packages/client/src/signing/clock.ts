/**
 * The largest correction of a clock. A user whose clock is further off should see the error, and no service
 * may make the client sign for years ahead.
 */
const correctionMsMax = 86_400_000;
/** A smaller difference is latency and does not explain a rejection. */
const correctionMsMin = 2000;

/** A signer's clock, corrected by the service's time when the service rejected a signature for its time. */
export class ServiceClock {
  readonly #now: () => number;
  #offsetMs = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  readonly nowMs = (): number => this.#now() + this.#offsetMs;

  get offsetMs(): number {
    return this.#offsetMs;
  }

  /**
   * Adopts the service's time. Returns true if signing again makes a difference: false if the rejected
   * request already used about this time, or if the time is absurd.
   *
   * @param signedOffsetMs the correction with which the rejected request was signed
   */
  correct(serverTime: string | undefined, signedOffsetMs: number): boolean {
    const offsetMs = Date.parse(serverTime ?? '') - this.#now();
    if (!(Math.abs(offsetMs) <= correctionMsMax)) return false;
    if (Math.abs(offsetMs - signedOffsetMs) < correctionMsMin) return false;
    this.#offsetMs = offsetMs;
    return true;
  }
}
