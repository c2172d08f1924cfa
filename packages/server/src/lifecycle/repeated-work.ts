export interface RepeatedWorkOptions {
  readonly everyMs: number;
  /** Called on failure. The work continues at the next interval. */
  readonly onError: (error: unknown) => void;
}

/** Background work that runs at intervals, never twice at a time. */
export interface RepeatedWork {
  /** Runs it now, or waits for the run in progress. Never rejects. */
  run(): Promise<void>;
  /** Signals the work to end, and waits until it has. */
  close(): Promise<void>;
}

/** Starts `work` at each interval. It gets a signal to end, which long work checks between its steps. */
export function repeatWork(
  work: (closing: AbortSignal) => Promise<void>,
  { everyMs, onError }: RepeatedWorkOptions,
): RepeatedWork {
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  const run = (): Promise<void> =>
    (running ??= work(closing.signal)
      .catch(onError)
      .finally(() => {
        running = undefined;
      }));
  const timer = setInterval(() => void run(), everyMs).unref();
  return {
    run,
    async close() {
      clearInterval(timer);
      closing.abort();
      await running;
    },
  };
}
