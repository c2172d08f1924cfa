import {
  type AsyncReplayGuard,
  profileTimeWindow,
  type Refusal,
  type TimeWindow,
  type UsedSignature,
} from '@countersign/signature/node';
import type { Awaitable } from '@countersign/signature/profile';
import { GuardFiles, type LastLife } from './guard-files.ts';
import { ReservedSeconds } from './reserved-seconds.ts';
import {
  closed,
  expirySeconds,
  monotonicMsOfProcess,
  noteReserved,
  type SharedGuardPolicy,
  SharedReplayGuard,
} from './shared-guard.ts';
import { makeSharedMemory, partsOf, type SharedGuardMemory, type SharedParts } from './shared-memory.ts';
import { SharedUpkeep } from './shared-upkeep.ts';

const tendEveryMs = 250;
/** The seconds on each side of a reserved one that may be reserved with it. */
const noteAroundSeconds = 5;

/** Options for a data folder's guard that threads share. */
export interface PersistentSharedGuardOptions extends SharedGuardPolicy {
  /** Maximum number of signatures held. Defaults to 1,000,000. */
  readonly entriesMax?: number;
  /** The wall clock in milliseconds. */
  readonly nowMs: () => number;
  /** A monotonic clock in milliseconds that is the same in all threads. */
  readonly monotonicMs?: () => number;
  /** Called when the mark cannot be written; called again only after a successful write in between. */
  readonly onWriteError?: (error: unknown) => void;
}

/**
 * One node's guard, shared by its threads: the table in shared memory, plus the mark and the snapshot on disk
 * (guard-files.ts). The thread that opens it maintains both; other threads use `memory` with a
 * `SharedReplayGuard`, and ask this one to `reserve` seconds.
 */
export class PersistentSharedGuard implements AsyncReplayGuard {
  readonly memory: SharedGuardMemory;
  readonly #options: PersistentSharedGuardOptions;
  readonly #window: TimeWindow;
  readonly #monotonicMs: () => number;
  readonly #parts: SharedParts;
  readonly #upkeep: SharedUpkeep;
  readonly #files: GuardFiles;
  readonly #own: SharedReplayGuard;
  readonly #seconds: ReservedSeconds;
  readonly #tending: NodeJS.Timeout;
  #closed = false;

  /** Opens the guard of a data folder that no other process uses. */
  constructor(dataFolder: string, options: PersistentSharedGuardOptions) {
    const {
      entriesMax = 1_000_000,
      window = profileTimeWindow,
      monotonicMs = monotonicMsOfProcess,
    } = options;
    if (!(entriesMax >= 1)) throw new RangeError('entriesMax must be 1 or more.');
    this.#options = options;
    this.#window = window;
    this.#monotonicMs = monotonicMs;
    this.memory = makeSharedMemory(entriesMax);
    this.#parts = partsOf(this.memory);
    this.#upkeep = new SharedUpkeep(this.memory);
    this.#files = new GuardFiles(dataFolder);
    this.#own = new SharedReplayGuard(
      {
        memory: this.memory,
        thread: 0,
        monotonicMs,
        reserve: (created, nowSeconds) => this.reserve(created, nowSeconds),
      },
      options,
    );
    const last = this.#files.readLastLife();
    this.#restore(last);
    this.#seconds = new ReservedSeconds(this.#files, last, options.onWriteError);
    this.#tending = setInterval(() => this.tend(), tendEveryMs).unref();
  }

  /** The options that other threads must share. */
  get policy(): SharedGuardPolicy {
    const { repeat, clientShareMax, accountShareMax, window } = this.#options;
    return {
      ...(repeat && { repeat }),
      ...(clientShareMax !== undefined && { clientShareMax }),
      ...(accountShareMax !== undefined && { accountShareMax }),
      ...(window && { window }),
    };
  }

  /** The shared memory, for other threads. */
  get shared(): this {
    return this;
  }

  /** The ID of this memory, stored in its files. */
  get guardId(): string {
    return this.#files.guardId;
  }

  /** The number of signatures remembered now. */
  get size(): number {
    return this.#upkeep.size;
  }

  /** Says why every use of a new second is rejected; undefined if none is. */
  get problem(): string | undefined {
    return this.#seconds.isUnwritable() ? "the replay guard's mark cannot be written" : undefined;
  }

  /** In the thread that opened the guard, the result is synchronous. */
  use(signature: UsedSignature, nowSeconds: number): Awaitable<Refusal | undefined> {
    return this.#own.use(signature, nowSeconds);
  }

  /** Makes sure that a second is reserved, and informs all threads. Returns a rejection if it cannot be reserved. */
  reserve(created: number, nowSeconds: number): Refusal | undefined {
    if (this.#closed) return closed;
    const refusal = this.#seconds.reserve(created, nowSeconds);
    if (refusal) return refusal;
    const near = Array.from(
      { length: 2 * noteAroundSeconds + 1 },
      (_, index) => created - noteAroundSeconds + index,
    );
    for (const second of near) if (this.#seconds.has(second)) noteReserved(this.#parts, second);
    return undefined;
  }

  /** Rejects everything up to this second that is not remembered, in all threads. Unix seconds. */
  raiseHorizon(createdSeconds: number): void {
    this.#upkeep.raiseHorizon(createdSeconds);
  }

  /** Releases what a thread held. Call it when a thread has ended, for whatever reason. */
  release(thread: number): void {
    this.#upkeep.release(thread);
  }

  /** Forgets expired entries. Runs by itself, several times a second. */
  tend(): void {
    if (this.#closed) return;
    const nowSeconds = Math.floor(this.#options.nowMs() / 1000);
    const createdBefore = nowSeconds - this.#window.maxAgeSeconds;
    if (this.#upkeep.forget(this.#monotonicMs(), createdBefore)) setImmediate(() => this.tend()).unref();
  }

  /**
   * Stores the memory for the next start; from now on every use is rejected, in every thread. Throws if it
   * cannot be written: the next start then treats the stop as a crash.
   */
  close(): void {
    this.#closed = true;
    clearInterval(this.#tending);
    this.#upkeep.close();
    const { horizonSeconds } = this.#upkeep;
    try {
      this.#files.keep({ remembered: this.#upkeep.remembered(), horizonSeconds }, this.#seconds.marked);
    } finally {
      this.#files.close();
    }
  }

  #restore(last: LastLife): void {
    if (last.ending !== 'clean') return;
    const nowMs = this.#monotonicMs();
    const nowSeconds = Math.floor(this.#options.nowMs() / 1000);
    this.#upkeep.restore(last.remembered, (created) =>
      expirySeconds(created, this.#window, nowMs, nowSeconds),
    );
    this.#upkeep.raiseHorizon(last.horizonSeconds);
  }
}
