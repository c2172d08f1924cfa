/** Processor time of this thread while some work ran. */
export interface ThreadTime<Result> {
  readonly result: Result;
  /** Of all turns of the event loop that did more than look for something to do. */
  readonly wholeMs: number;
  /** Of the longest turn: everybody else waited for it. */
  readonly longestMs: number;
}

/** Measures the processor time of this thread while some work runs, which no other program on the machine takes away. */
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

/** What a turn takes in which nothing happens, at most. */
const idleTurnMs = 0.05;

function processorTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
