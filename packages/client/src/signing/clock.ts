/** No clock is corrected by more: whoever is that far off should be told, and no service may have years signed ahead. */
const correctionMsMax = 86_400_000;
/** A smaller difference is latency, and explains no refusal. */
const correctionMsMin = 2000;

/** The clock of a signer, corrected by the service's when that refused a signature for its time. */
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
   * Takes over the service's time. Returns true if signing again makes a difference: not if the refused request was
   * signed by about this time already, and not for an absurd one.
   *
   * @param signedOffsetMs the correction that the refused request was signed with
   */
  correct(serverTime: string | undefined, signedOffsetMs: number): boolean {
    const offsetMs = Date.parse(serverTime ?? '') - this.#now();
    if (!(Math.abs(offsetMs) <= correctionMsMax)) return false;
    if (Math.abs(offsetMs - signedOffsetMs) < correctionMsMin) return false;
    this.#offsetMs = offsetMs;
    return true;
  }
}
