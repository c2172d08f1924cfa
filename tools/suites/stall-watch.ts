import type { TestEvent } from 'node:test/reporters';

// Captured at load: tests replace the global timers.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

export interface Patience {
  /**
   * The time without any finished test. A first build of a signer, with its packages from the network, takes
   * minutes.
   */
  readonly testSeconds: number;
  /** From the last test to the end of the process. */
  readonly endSeconds: number;
}

/**
 * Notices that a run hangs: all tests share a process, which a leftover server or timer would silently keep
 * alive.
 */
export class StallWatch {
  readonly #onStall: (message: string) => void;
  readonly #patience: Patience;
  readonly #open = new Map<number, string>();
  #timer: ReturnType<typeof startTimer> | undefined;

  /** @param onStall called at most once, with a readable message */
  constructor(onStall: (message: string) => void, patience: Patience = { testSeconds: 600, endSeconds: 30 }) {
    this.#onStall = onStall;
    this.#patience = patience;
  }

  see(event: TestEvent): void {
    if (event.type === 'test:enqueue') this.#open.set(event.data.testId, event.data.name);
    if (event.type === 'test:complete') this.#open.delete(event.data.testId);
    this.stop();
    const { testSeconds, endSeconds } = this.#patience;
    const seconds = this.#open.size === 0 ? endSeconds : testSeconds;
    this.#timer = startTimer(() => this.#onStall(this.#message(seconds)), seconds * 1000);
    this.#timer.unref();
  }

  stop(): void {
    stopTimer(this.#timer);
  }

  #message(seconds: number): string {
    if (this.#open.size > 0) {
      return `FAILED  No test has ended for ${seconds} s. Not done: ${[...this.#open.values()].join('; ')}`;
    }
    const left = new Set(process.getActiveResourcesInfo());
    return (
      `FAILED  All tests are done, but ${seconds} s later the process is still kept alive by what one of them ` +
      `left open: ${[...left].join(', ')}`
    );
  }
}
