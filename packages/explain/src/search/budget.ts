/** Limits a search. Hypotheses are also charged by size, so that long texts get fewer of them. */
export class Budget {
  readonly #hypothesesMax: number;
  readonly #bytesMax: number;
  readonly #deadlineMs: number;
  readonly #monotonicMs: (() => number) | undefined;
  #bytesAtLastLook = 0;
  #isSpent = false;
  #isCutShort = false;
  hypotheses = 0;
  bytes = 0;

  constructor(limits: {
    readonly hypothesesMax: number;
    readonly budgetMs: number;
    readonly monotonicMs: (() => number) | undefined;
  }) {
    this.#hypothesesMax = limits.hypothesesMax;
    this.#bytesMax = limits.hypothesesMax * bytesOfUsualHypothesis;
    this.#monotonicMs = limits.monotonicMs;
    this.#deadlineMs = (limits.monotonicMs?.() ?? 0) + limits.budgetMs;
  }

  /** The number of hypotheses that may still be tried. */
  get hypothesesLeft(): number {
    return this.#hypothesesMax - this.hypotheses;
  }

  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** True if a search ended before everything was tried: this one, or a part of it that found nothing. */
  get isCutShort(): boolean {
    return this.#isSpent || this.#isCutShort;
  }

  /** Records that a part of the search ended before it found anything. */
  cutShort(): void {
    this.#isCutShort = true;
  }

  /** Charges for one hypothesis. Returns true if it may be tried. */
  spend(bytes: number): boolean {
    if (this.hypotheses >= this.#hypothesesMax || this.bytes + bytes > this.#bytesMax) this.#isSpent = true;
    if (this.#isSpent) return false;
    this.hypotheses++;
    this.bytes += bytes;
    if (this.bytes - this.#bytesAtLastLook > bytesBetweenLooks) this.look();
    return !this.#isSpent;
  }

  /**
   * Checks the clock; call it around work that is not counted in hypotheses. Returns true if the search may
   * continue.
   */
  look(): boolean {
    this.#bytesAtLastLook = this.bytes;
    if (this.#monotonicMs && this.#monotonicMs() > this.#deadlineMs) this.#isSpent = true;
    return !this.#isSpent;
  }

  /** Splits off a smaller budget for one of several searches. Charge it back with `absorb`. */
  part(share: number): Budget {
    return this.#split(Math.floor(this.hypothesesLeft * share), share);
  }

  /** Splits off a budget of fewer hypotheses, for texts that cost more than a hash. Charge it back with `absorb`. */
  fewer(hypothesesMax: number): Budget {
    return this.#split(Math.min(hypothesesMax, this.hypothesesLeft), 1);
  }

  absorb(part: Budget): void {
    this.hypotheses += part.hypotheses;
    this.bytes += part.bytes;
    this.look();
  }

  #split(hypothesesMax: number, shareOfTime: number): Budget {
    const now = this.#monotonicMs?.() ?? 0;
    return new Budget({
      hypothesesMax,
      budgetMs: (this.#deadlineMs - now) * shareOfTime,
      monotonicMs: this.#monotonicMs,
    });
  }
}

/** A typical signature base has 300 to 500 bytes. */
const bytesOfUsualHypothesis = 512;
const bytesBetweenLooks = 32 * 1024;
