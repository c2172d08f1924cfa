/** The clocks of a service under test: both stand still until a test moves them. */
export class TestClock {
  #wallMs: number;
  #monotonicMs = 1_000_000;

  constructor(wallSeconds: number) {
    this.#wallMs = wallSeconds * 1000;
  }

  /** Whole Unix seconds. */
  get seconds(): number {
    return Math.floor(this.#wallMs / 1000);
  }

  /** For the overrides of a service. */
  readonly nowMs = (): number => this.#wallMs;
  readonly monotonicMs = (): number => this.#monotonicMs;

  /** Time passes. */
  pass(seconds: number): void {
    this.#wallMs += seconds * 1000;
    this.#monotonicMs += seconds * 1000;
  }

  /** The wall clock is set, forward or back. */
  jump(seconds: number): void {
    this.#wallMs += seconds * 1000;
  }
}
