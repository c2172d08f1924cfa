import { performance, type EventLoopUtilization } from 'node:perf_hooks';

const lookEveryMs = 250;
/** An event loop that is busier than this has work waiting. */
const busyUtilization = 0.98;
/** Shorter bursts are normal, and so is a busy loop while the process starts. */
const busyLooksMin = 4;

/** Measures whether this thread's event loop keeps up with its work. */
export class EventLoopLoad {
  readonly #looking: NodeJS.Timeout;
  #last: EventLoopUtilization = performance.eventLoopUtilization();
  #busyLooks = 0;

  constructor() {
    this.#looking = setInterval(() => this.#look(), lookEveryMs).unref();
  }

  /** True while the loop has been busy for about a second or longer. */
  get isOverloaded(): boolean {
    return this.#busyLooks >= busyLooksMin;
  }

  close(): void {
    clearInterval(this.#looking);
  }

  #look(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#last);
    this.#last = now;
    if (utilization >= busyUtilization) this.#busyLooks = Math.min(this.#busyLooks + 1, 2 * busyLooksMin);
    else this.#busyLooks = Math.max(0, this.#busyLooks - 1);
  }
}
