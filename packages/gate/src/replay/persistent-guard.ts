import {
  MemoryReplayGuard,
  type MemoryReplayGuardOptions,
  type Refusal,
  type ReplayGuard,
  type UsedSignature,
} from '@countersign/signature/node';
import { refuse } from '@countersign/signature/profile';
import { GuardFiles } from './guard-files.ts';
import { ReservedSeconds } from './reserved-seconds.ts';

/** Options for a data folder's guard. */
export interface PersistentReplayGuardOptions extends Omit<MemoryReplayGuardOptions, 'horizonSeconds'> {
  /** Called when the mark cannot be written; called again only after a successful write in between. */
  readonly onWriteError?: (error: unknown) => void;
}

/**
 * One node's guard: the memory guard, plus a mark on disk so that a restart forgets nothing.
 *
 * After a clean stop, the memory is restored, and so is the horizon, below which nothing is remembered. After
 * a crash, signatures of reserved seconds are rejected (reserved-seconds.ts).
 */
export class PersistentReplayGuard implements ReplayGuard {
  readonly #memory: MemoryReplayGuard;
  readonly #files: GuardFiles;
  readonly #seconds: ReservedSeconds;
  readonly #isUnguarded: (signature: UsedSignature) => boolean;
  #closed = false;

  /** Opens the guard of a data folder that no other process uses. `nowSeconds` is the wall clock. */
  constructor(dataFolder: string, nowSeconds: number, options: PersistentReplayGuardOptions = {}) {
    this.#isUnguarded = ({ isSafe }) => isSafe && options.repeat === 'unsafe-only';
    this.#files = new GuardFiles(dataFolder);
    const last = this.#files.readLastLife();
    const horizonSeconds = last.ending === 'clean' ? last.horizonSeconds : Number.NEGATIVE_INFINITY;
    this.#memory = new MemoryReplayGuard({ ...options, horizonSeconds });
    if (last.ending === 'clean') this.#memory.restore(last.remembered, nowSeconds);
    this.#seconds = new ReservedSeconds(this.#files, last, options.onWriteError);
  }

  /** The ID of this memory, stored in its files. */
  get guardId(): string {
    return this.#files.guardId;
  }

  /** The number of signatures remembered now. */
  get size(): number {
    return this.#memory.size;
  }

  /** Says why every use of a new second is rejected; undefined if none is. */
  get problem(): string | undefined {
    return this.#seconds.isUnwritable() ? "the replay guard's mark cannot be written" : undefined;
  }

  use(signature: UsedSignature, nowSeconds: number): Refusal | undefined {
    // A signature that is used now would not be in any file.
    if (this.#closed) return unavailable('the replay guard is closed');
    if (this.#isUnguarded(signature)) return undefined;
    return this.#seconds.reserve(signature.created, nowSeconds) ?? this.#memory.use(signature, nowSeconds);
  }

  /**
   * Stores the memory for the next start; from now on every use is rejected. Throws if it cannot be written:
   * the next start then treats the stop as a crash.
   */
  close(): void {
    this.#closed = true;
    const { horizonSeconds } = this.#memory;
    const memory = { remembered: this.#memory.remembered(), horizonSeconds };
    try {
      this.#files.keep(memory, this.#seconds.marked);
    } finally {
      this.#files.close();
    }
  }
}

function unavailable(reason: string): Refusal {
  return refuse('guard_unavailable', reason, { retryAfterSeconds: 5 });
}
