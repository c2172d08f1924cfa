import type { TestEvent } from 'node:test/reporters';

// Taken when the file is loaded: tests replace the global timers by a clock of their own.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** How long a run may be silent. */
export interface Patience {
  /** Until the next test has ended. */
  readonly testSeconds: number;
  /** Until the process ends, after the last test. */
  readonly endSeconds: number;
}

/**
 * Notices that a run stands still. All tests share one process, so a server or a timer that a test leaves behind would keep
 * it alive for ever, silently.
 */
export class StallWatch {
  readonly #onStall: (message: string) => void;
  readonly #patience: Patience;
  readonly #open = new Map<number, string>();
  #timer: ReturnType<typeof startTimer> | undefined;

  /** `onStall` is called at most once, with a text for people. */
  constructor(onStall: (message: string) => void, patience: Patience = { testSeconds: 180, endSeconds: 10 }) {
    this.#onStall = onStall;
    this.#patience = patience;
  }

  /** Takes note of an event of the run. */
  see(event: TestEvent): void {
    if (event.type === 'test:enqueue') this.#open.set(event.data.testId, event.data.name);
    if (event.type === 'test:complete') this.#open.delete(event.data.testId);
    this.stop();
    const { testSeconds, endSeconds } = this.#patience;
    const seconds = this.#open.size === 0 ? endSeconds : testSeconds;
    this.#timer = startTimer(() => this.#onStall(this.#message(seconds)), seconds * 1000);
    this.#timer.unref();
  }

  /** Ends the watch. */
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
