/** Repeats work in the background until stopped. Different kinds run in parallel, each kind one at a time. */
export class BackgroundWork {
  readonly #onError: (error: unknown) => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  /** @param onError called when a kind of work starts failing, and again only after it has succeeded in between */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Repeats the work, pausing after each run whether it succeeded or failed. */
  repeat(work: () => Promise<void>, pauseMs: number): void {
    let isFailing = false;
    const run = async (): Promise<void> => {
      try {
        await work();
        isFailing = false;
      } catch (error) {
        if (!isFailing && !this.#isStopped) this.#onError(error);
        isFailing = true;
      }
      wait();
    };
    const wait = (): void => {
      if (this.#isStopped) return;
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        const running = run().finally(() => this.#running.delete(running));
        this.#running.add(running);
      }, pauseMs).unref();
      this.#timers.add(timer);
    };
    wait();
  }

  /** Starts nothing new, and waits for running work to finish. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#running);
  }
}
