import { RecentTimes } from './recent-times.ts';

/** Measures how long each part of this node took in recent minutes. */
export class PartTimes {
  /** From the head of a request to its response. */
  readonly requests: RecentTimes;
  /** Reading the registry's version: a round trip to the database, four times a second. */
  readonly database: RecentTimes;
  readonly guard: RecentTimes;
  readonly explainer: RecentTimes;
  readonly mail: RecentTimes;
  /** How late timers fire, which is how long work waits for this thread. */
  readonly eventLoop: RecentTimes;
  readonly #monotonicMs: () => number;
  readonly #upstreams = new Map<string, RecentTimes>();
  #timer: NodeJS.Timeout | undefined;

  /** @param monotonicMs a monotonic clock, in milliseconds */
  constructor(monotonicMs: () => number) {
    const times = (): RecentTimes => new RecentTimes(monotonicMs);
    this.requests = times();
    this.database = times();
    this.guard = times();
    this.explainer = times();
    this.mail = times();
    this.eventLoop = times();
    this.#monotonicMs = monotonicMs;
  }

  /** Returns the times of an upstream, by its name in the configuration. */
  upstream(name: string): RecentTimes {
    let times = this.#upstreams.get(name);
    if (times === undefined) {
      times = new RecentTimes(this.#monotonicMs);
      this.#upstreams.set(name, times);
    }
    return times;
  }

  /** Starts watching the event loop. */
  start(): void {
    let dueMs = this.#monotonicMs() + lookEveryMs;
    this.#timer = setInterval(() => {
      const now = this.#monotonicMs();
      this.eventLoop.note(Math.max(0, now - dueMs));
      dueMs = now + lookEveryMs;
    }, lookEveryMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Measures work that may be asynchronous. */
  measure<Result>(times: RecentTimes, work: () => Result | Promise<Result>): Result | Promise<Result> {
    const startedMs = this.#monotonicMs();
    const note = (isFailed: boolean): void => times.note(this.#monotonicMs() - startedMs, isFailed);
    try {
      const result = work();
      if (!(result instanceof Promise)) {
        note(false);
        return result;
      }
      return result.then(
        (value) => {
          note(false);
          return value;
        },
        (error: unknown) => {
          note(true);
          throw error;
        },
      );
    } catch (error) {
      note(true);
      throw error;
    }
  }
}

const lookEveryMs = 250;
