import {
  MemoryReplayGuard,
  type MemoryReplayGuardOptions,
  type Refusal,
  type ReplayGuard,
  type UsedSignature,
} from '@countersign/signature/node';
import { refuse } from '@countersign/signature/profile';
import { GuardFiles, type LastLife } from './guard-files.ts';

/** How far ahead of the latest `created` the mark is set, so that it is written once in that many seconds of traffic. */
const reserveAheadSeconds = 5;

/** What the guard of a data folder is made with. */
export interface PersistentReplayGuardOptions extends Omit<MemoryReplayGuardOptions, 'horizonSeconds'> {
  /** Told when the mark cannot be written; told again only after it could be written in between. */
  readonly onWriteError?: (error: unknown) => void;
}

/**
 * The guard of one node: the memory guard, and a mark on the disk that makes a restart forget nothing.
 *
 * After a clean stop everything remembered is there again, and so is the horizon, below which nothing is remembered.
 * After a crash nobody knows which signatures created up to the mark were used, so all of them are refused; later ones
 * cannot have been used.
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
    // From here on a crash must not find the clean mark of the life before. What that life accepted stays covered.
    this.#reservedSeconds = last.ending === 'none' ? 0 : last.reservedSeconds;
    this.#files.reserve(this.#reservedSeconds);
    this.#files.forgetSnapshot();
  }

  /** The name of this memory, which its files keep. */
  get guardId(): string {
    return this.#files.guardId;
  }

  /** Signatures remembered now. */
  get size(): number {
    return this.#memory.size;
  }

  use(signature: UsedSignature, nowSeconds: number): Refusal | undefined {
    // What was used now would be in no file.
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
   * Keeps what is remembered for the next start; from now on every use is refused. Throws when it cannot be written:
   * the next start then counts as one after a crash.
   */
  close(): void {
    this.#closed = true;
    const { horizonSeconds } = this.#memory;
    this.#files.keep({ remembered: this.#memory.remembered(), horizonSeconds }, this.#reservedSeconds);
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

/** Up to which second signatures may have been used of which nothing is remembered. */
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
