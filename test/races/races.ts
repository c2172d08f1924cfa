import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { noteReserved } from '../../packages/gate/src/replay/shared-guard.ts';
import { makeSharedMemory, partsOf } from '../../packages/gate/src/replay/shared-memory.ts';
import { SharedUpkeep } from '../../packages/gate/src/replay/shared-upkeep.ts';
import {
  happenings,
  idsPerSecond,
  operationsPerSecond,
  type RaceMemory,
  raceStart,
  raceWindow,
} from './race-operations.ts';

export interface RaceOptions {
  readonly threads: number;
  readonly operations: number;
  readonly seed: number;
  readonly isBroken?: boolean;
  /** Ends threads in the middle of their work, and starts others instead. */
  readonly killEveryMs?: number;
}

/** The number of times that each thing happened, and of threads that were ended in the middle. */
export type RaceReport = Readonly<Record<(typeof happenings)[number] | 'killed', number>>;

/**
 * Runs threads with random signatures, few enough that all threads try each one, while time passes so quickly
 * that entries are forgotten during use. Ends if something was accepted twice, which must not happen.
 */
export async function race(options: RaceOptions): Promise<RaceReport> {
  // Some more than it should need.
  const seconds = Math.ceil((4 * options.operations) / operationsPerSecond) + 1000;
  const memory: RaceMemory = {
    guard: makeSharedMemory(200_000),
    clock: new Int32Array(new SharedArrayBuffer(8)),
    accepted: new Uint8Array(new SharedArrayBuffer(seconds * idsPerSecond)),
    counts: new Int32Array(new SharedArrayBuffer(4 * happenings.length)),
  };
  const field = new Field(memory, options);
  try {
    await runTime(memory, options.operations, field);
  } finally {
    Atomics.store(memory.clock, 1, 1);
    Atomics.notify(memory.clock, 0);
    await field.stop();
  }
  const counts = Object.fromEntries(happenings.map((name, index) => [name, memory.counts[index]!]));
  return { ...counts, killed: field.killed } as RaceReport;
}

/** Advances time as operations are done, reserves the coming seconds, and forgets past ones. */
async function runTime(
  { guard, clock, counts }: RaceMemory,
  operations: number,
  field: Field,
): Promise<void> {
  const upkeep = new SharedUpkeep(guard);
  const parts = partsOf(guard);
  field.onEnded = (thread) => upkeep.release(thread);
  let reserved = 0;
  const count = (name: (typeof happenings)[number]): number => Atomics.load(counts, happenings.indexOf(name));
  // A race in which nothing repeats, or nothing is forgotten, proves nothing.
  const isWorthIt = (): boolean =>
    count('accepted') > 500 && count('signature_replayed') > 500 && count('recently_restarted') > 500;
  const isOver = (done: number): boolean => (done >= operations && isWorthIt()) || count('doubles') > 0;
  for (let done = 0; !isOver(done); done = Atomics.load(counts, 0)) {
    const nowMs = Math.floor((done / operationsPerSecond) * 1000);
    const second = Math.floor(nowMs / 1000);
    for (; reserved <= second + raceWindow.maxFutureSeconds; reserved++)
      noteReserved(parts, raceStart + reserved);
    Atomics.store(clock, 0, nowMs);
    Atomics.notify(clock, 0);
    upkeep.forget(nowMs, raceStart + second - raceWindow.maxAgeSeconds);
    field.tend(done);
    await sleep(1);
  }
}

const operationsBetweenKills = 5000;

/** The threads of a race. */
class Field {
  readonly #memory: RaceMemory;
  readonly #options: RaceOptions;
  readonly #workers = new Map<number, Worker>();
  #failure: Error | undefined;
  #killAtMs: number;
  #killAtDone = 0;
  #seed: number;
  killed = 0;
  onEnded: (thread: number) => void = () => undefined;

  constructor(memory: RaceMemory, options: RaceOptions) {
    this.#memory = memory;
    this.#options = options;
    this.#seed = options.seed;
    this.#killAtMs = performance.now() + (options.killEveryMs ?? Infinity);
    for (let thread = 1; thread <= options.threads; thread++) this.#start(thread);
  }

  /** Throws a thread's error, and ends a thread from time to time. */
  tend(done: number): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (performance.now() < this.#killAtMs || done < this.#killAtDone) return;
    this.#killAtMs = performance.now() + this.#options.killEveryMs!;
    // If threads start more slowly than they are ended, nothing would ever be done.
    this.#killAtDone = done + operationsBetweenKills;
    void this.#workers.get(1 + (this.killed % this.#options.threads))?.terminate();
    this.killed++;
  }

  async stop(): Promise<void> {
    const ended = [...this.#workers.values()].map(
      (worker) => new Promise((resolve) => worker.once('exit', resolve)),
    );
    await Promise.all(ended);
    if (this.#failure !== undefined) throw this.#failure;
  }

  #start(thread: number): void {
    const isBroken = this.#options.isBroken === true;
    const workerData = { ...this.#memory, thread, seed: (this.#seed += 7919), isBroken };
    const worker = new Worker(new URL('race-thread.ts', import.meta.url), { workerData });
    this.#workers.set(thread, worker);
    worker.once('error', (error) => (this.#failure = error as Error));
    worker.once('exit', () => {
      this.#workers.delete(thread);
      this.onEnded(thread);
      if (Atomics.load(this.#memory.clock, 1) === 0) this.#start(thread);
    });
  }
}
