import {
  MemoryReplayGuard,
  type MemoryReplayGuardOptions,
  type Refusal,
  type ReplayGuard,
  type UsedSignature,
} from '@countersign/signature/node';
import { refuse } from '@countersign/signature/profile';
import { GuardFiles, type LastLife } from './guard-files.ts';

/** Sets the mark this far ahead of the latest `created`, so that it is written once in that many seconds of traffic. */
const reserveAheadSeconds = 5;

/** Options for a data folder's guard. */
export interface PersistentReplayGuardOptions extends Omit<MemoryReplayGuardOptions, 'horizonSeconds'> {
  /** Called when the mark cannot be written; called again only after a successful write in between. */
  readonly onWriteError?: (error: unknown) => void;
}

/**
 * One node's guard: the memory guard, plus a mark on disk so that a restart forgets nothing.
 *
 * After a clean stop, the memory is restored, and so is the horizon, below which nothing is remembered. After a crash,
 * it is unknown which signatures created up to the mark were used, so all of them are refused; later ones cannot have
 * been used.
 */
export class PersistentReplayGuard implements ReplayGuard {
  readonly #memory: MemoryReplayGuard;
  readonly #files: GuardFiles;
  readonly #onWriteError: (error: unknown) => void;
  #reservedSeconds: number;
  #failing = false;
  #closed = false;

  /** Opens the guard of a data folder that no other process uses. `nowSeconds` is the wall clock. */
  constructor(dataFolder: string, nowSeconds: number, options: PersistentReplayGuardOptions = {}) {
    this.#onWriteError = options.onWriteError ?? (() => undefined);
    this.#files = new GuardFiles(dataFolder);
    const last = this.#files.readLastLife();
    this.#memory = new MemoryReplayGuard({ ...options, horizonSeconds: horizonAfter(last) });
    if (last.ending === 'clean') this.#memory.restore(last.remembered, nowSeconds);
    // From here on, a crash must not find the previous process's clean mark. Everything that process accepted stays
    // covered.
    this.#reservedSeconds = last.ending === 'none' ? 0 : last.reservedSeconds;
    try {
      this.#files.reserve(this.#reservedSeconds);
      this.#files.forgetSnapshot();
    } catch (error) {
      this.#files.close();
      throw error;
    }
  }

  /** The ID of this memory, stored in its files. */
  get guardId(): string {
    return this.#files.guardId;
  }

  /** The number of signatures remembered now. */
  get size(): number {
    return this.#memory.size;
  }

  use(signature: UsedSignature, nowSeconds: number): Refusal | undefined {
    // A signature used now would not be in any file.
    if (this.#closed) return unavailable('the replay guard is closed');
    if (
      signature.created > this.#reservedSeconds &&
      !this.#reserve(signature.created + reserveAheadSeconds)
    ) {
      return unavailable('the mark of the replay guard cannot be written');
    }
    return this.#memory.use(signature, nowSeconds);
  }

  /**
   * Stores the memory for the next start; from now on every use is refused. Throws if it cannot be written: the next
   * start then treats the stop as a crash.
   */
  close(): void {
    this.#closed = true;
    const { horizonSeconds } = this.#memory;
    try {
      this.#files.keep({ remembered: this.#memory.remembered(), horizonSeconds }, this.#reservedSeconds);
    } finally {
      this.#files.close();
    }
  }

  #reserve(reservedSeconds: number): boolean {
    try {
      this.#files.reserve(reservedSeconds);
    } catch (error) {
      if (!this.#failing) this.#onWriteError(error);
      this.#failing = true;
      return false;
    }
    this.#failing = false;
    this.#reservedSeconds = reservedSeconds;
    return true;
  }
}

/** Returns the last second for which used signatures may have been forgotten. */
function horizonAfter(last: LastLife): number {
  switch (last.ending) {
    case 'none':
      return Number.NEGATIVE_INFINITY;
    case 'clean':
      return last.horizonSeconds;
    case 'crash':
      return last.reservedSeconds;
  }
}

function unavailable(reason: string): Refusal {
  return refuse('guard_unavailable', reason, { retryAfterSeconds: 5 });
}
