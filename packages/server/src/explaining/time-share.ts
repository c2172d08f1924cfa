/** A share of the time of one processor: what is not used is kept for a while, and what is used must be waited for. */
export class TimeShare {
  readonly #share: number;
  readonly #savedMsMax: number;
  readonly #monotonicMs: () => number;
  #savedMs: number;
  #atMs: number;

  /**
   * @param share of one processor, 0.1 for a tenth
   * @param savedMsMax how much time can be used at once
   */
  constructor(share: number, savedMsMax: number, monotonicMs: () => number) {
    this.#share = share;
    this.#savedMsMax = savedMsMax;
    this.#monotonicMs = monotonicMs;
    this.#savedMs = savedMsMax;
    this.#atMs = monotonicMs();
  }

  /** Milliseconds until there is time again; 0 when there is. */
  waitMs(): number {
    this.#save();
    return this.#savedMs > 0 ? 0 : Math.ceil((1 - this.#savedMs) / this.#share);
  }

  /** Takes time that was used. */
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
