/**
 * A share of one processor's time. Unused time is saved up to a limit; time that was used in advance must be
 * waited for.
 */
export class TimeShare {
  readonly #share: number;
  readonly #savedMsMax: number;
  readonly #monotonicMs: () => number;
  #savedMs: number;
  #atMs: number;

  /**
   * @param share the share of one processor, 0.1 for a tenth
   * @param savedMsMax the most time to use at once
   */
  constructor(share: number, savedMsMax: number, monotonicMs: () => number) {
    this.#share = share;
    this.#savedMsMax = savedMsMax;
    this.#monotonicMs = monotonicMs;
    this.#savedMs = savedMsMax;
    this.#atMs = monotonicMs();
  }

  /** Milliseconds until time is available again; 0 if it is. */
  waitMs(): number {
    this.#save();
    return this.#savedMs > 0 ? 0 : Math.ceil((1 - this.#savedMs) / this.#share);
  }

  spend(durationMs: number): void {
    this.#save();
    this.#savedMs -= durationMs;
  }

  #save(): void {
    const nowMs = this.#monotonicMs();
    this.#savedMs = Math.min(this.#savedMsMax, this.#savedMs + (nowMs - this.#atMs) * this.#share);
    this.#atMs = nowMs;
  }
}
