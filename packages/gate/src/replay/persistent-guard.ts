import {
  MemoryReplayGuard,
  type MemoryReplayGuardOptions,
  type Refusal,
  type ReplayGuard,
  type UsedSignature,
} from '@countersign/signature/node';
import { refuse } from '@countersign/signature/profile';
import { GuardFiles } from './guard-files.ts';
import { SecondRanges } from './second-ranges.ts';

/** Reserves this many seconds on both sides of the clock, so that ordinary traffic writes the mark every 3 seconds. */
const reserveAroundSeconds = 2;

/** Options for a data folder's guard. */
export interface PersistentReplayGuardOptions extends Omit<MemoryReplayGuardOptions, 'horizonSeconds'> {
  /** Called when the mark cannot be written; called again only after a successful write in between. */
  readonly onWriteError?: (error: unknown) => void;
}

/**
 * One node's guard: the memory guard, plus a mark on disk so that a restart forgets nothing.
 *
 * The mark names the seconds of `created` in which signatures may be accepted: the seconds around the clock, and each
 * other second when it is first used, so that a client with a fast clock does not reserve the time in between.
 *
 * After a clean stop, the memory is restored, and so is the horizon, below which nothing is remembered. After a crash,
 * it is unknown which signatures of the reserved seconds were used, so all of them are refused; none of another second
 * was.
 */
export class PersistentReplayGuard implements ReplayGuard {
  readonly #memory: MemoryReplayGuard;
  readonly #files: GuardFiles;
  readonly #isUnguarded: (signature: UsedSignature) => boolean;
  readonly #onWriteError: (error: unknown) => void;
  readonly #refused: SecondRanges;
  #reserved: SecondRanges;
  #failing = false;
  #closed = false;

  /** Opens the guard of a data folder that no other process uses. `nowSeconds` is the wall clock. */
  constructor(dataFolder: string, nowSeconds: number, options: PersistentReplayGuardOptions = {}) {
    this.#isUnguarded = ({ isSafe }) => isSafe && options.repeat === 'unsafe-only';
    this.#onWriteError = options.onWriteError ?? (() => undefined);
    this.#files = new GuardFiles(dataFolder);
    const last = this.#files.readLastLife();
    const horizonSeconds = last.ending === 'clean' ? last.horizonSeconds : Number.NEGATIVE_INFINITY;
    this.#memory = new MemoryReplayGuard({ ...options, horizonSeconds });
    if (last.ending === 'clean') this.#memory.restore(last.remembered, nowSeconds);
    this.#refused = last.ending === 'none' ? SecondRanges.none : last.refused;
    // From here on, a crash must not find the previous process's clean mark. Everything that process accepted stays
    // covered.
    this.#reserved = last.ending === 'none' ? SecondRanges.none : last.reserved;
    try {
      this.#files.reserve({ reserved: this.#reserved, refused: this.#refused });
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
    if (this.#isUnguarded(signature)) return undefined;
    const { created } = signature;
    if (this.#refused.has(created)) return this.#restarted(created, nowSeconds);
    if (!this.#reserved.has(created) && !this.#reserve(created, nowSeconds)) {
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
    const memory = { remembered: this.#memory.remembered(), horizonSeconds };
    try {
      this.#files.keep(memory, { reserved: this.#reserved, refused: this.#refused });
    } finally {
      this.#files.close();
    }
  }

  #reserve(created: number, nowSeconds: number): boolean {
    const now = Math.floor(nowSeconds);
    const isNear = Math.abs(created - now) <= reserveAroundSeconds;
    const reserved = this.#reserved.with(
      isNear ? [now - reserveAroundSeconds, now + reserveAroundSeconds] : [created, created],
    );
    try {
      this.#files.reserve({ reserved, refused: this.#refused });
    } catch (error) {
      if (!this.#failing) this.#onWriteError(error);
      this.#failing = true;
      return false;
    }
    this.#failing = false;
    this.#reserved = reserved;
    return true;
  }

  /** Expects a client with a fast clock to keep it, and any other client to sign with the right time. */
  #restarted(created: number, nowSeconds: number): Refusal {
    const latest = Math.max(created, nowSeconds);
    return refuse(
      'recently_restarted',
      'the service cannot know whether this signature was used before a restart',
      { retryAfterSeconds: this.#refused.firstMissing(latest + 1) - latest },
    );
  }
}

function unavailable(reason: string): Refusal {
  return refuse('guard_unavailable', reason, { retryAfterSeconds: 5 });
}
