/** Processor time of this thread while some work ran. */
export interface ThreadTime<Result> {
  readonly result: Result;
  /** The time of all turns of the event loop that did more than poll. */
  readonly wholeMs: number;
  /** The time of the longest turn, for which all other requests waited. */
  readonly longestMs: number;
}

/**
 * Measures the processor time of this thread while some work runs. Other programs on the machine do not
 * affect it.
 */
export async function measureThread<Result>(work: () => Promise<Result>): Promise<ThreadTime<Result>> {
  let wholeMs = 0;
  let longestMs = 0;
  let before = processorTimeMs();
  const look = (): void => {
    const now = processorTimeMs();
    const turnMs = now - before;
    before = now;
    if (turnMs > idleTurnMs) wholeMs += turnMs;
    longestMs = Math.max(longestMs, turnMs);
    immediate = setImmediate(look);
  };
  let immediate = setImmediate(look);
  try {
    const result = await work();
    return { result, wholeMs, longestMs };
  } finally {
    clearImmediate(immediate);
  }
}

/** The maximum time of a turn in which nothing happens. */
const idleTurnMs = 0.05;

function processorTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
