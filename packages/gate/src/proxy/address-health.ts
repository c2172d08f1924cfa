/**
 * Watches one address of an upstream (passive ejection): after several failures in a row it is used last for
 * a while, and for longer with every further failure.
 */
export class AddressHealth {
  readonly #monotonicMs: () => number;
  #failuresInRow = 0;
  #ejectedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  succeeded(): void {
    this.#failuresInRow = 0;
    this.#ejectedUntilMs = Number.NEGATIVE_INFINITY;
  }

  failed(): void {
    this.#failuresInRow += 1;
    const beyond = this.#failuresInRow - failuresBeforeEjection;
    if (beyond < 0) return;
    this.#ejectedUntilMs =
      this.#monotonicMs() + Math.min(ejectionMs * 2 ** Math.min(beyond, 10), ejectionMsMax);
  }

  /** Returns how much longer the address is used last, in milliseconds; 0 if it is healthy. */
  ejectedForMs(): number {
    return Math.max(0, this.#ejectedUntilMs - this.#monotonicMs());
  }
}

const failuresBeforeEjection = 3;
const ejectionMs = 5000;
const ejectionMsMax = 60_000;
