/** Work that is repeated in the background until it is stopped, each kind one at a time. */
export class BackgroundWork {
  readonly #onError: (error: unknown) => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  /** @param onError told when a kind of work begins to fail, and again only when it has succeeded in between */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Does the work again and again, with a pause after each time, whether it succeeded or not. */
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

  /** Begins nothing any more, and waits for what runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#running);
  }
}
