import {
  MemoryReplayGuard,
  type MemoryReplayGuardOptions,
  type Refusal,
  type ReplayGuard,
  type UsedSignature,
} from '@countersign/signature/node';
import { refuse } from '@countersign/signature/steps';
import { GuardFiles } from './guard-files.ts';

/** How far ahead of the latest `created` the mark is set, so that it is written once in that many seconds of traffic. */
const reserveAheadSeconds = 5;

/**
 * The guard of one node: the memory guard, and a mark on the disk that makes a restart forget nothing.
 *
 * After a clean stop everything remembered is there again. After a crash nobody knows which signatures created up to
 * the mark were used, so all of them are refused; later ones cannot have been used.
 */
export class PersistentReplayGuard implements ReplayGuard {
  readonly #memory: MemoryReplayGuard;
  readonly #files: GuardFiles;
  #reservedSeconds: number;

  /** Opens the guard of a data folder that no other process uses. `nowSeconds` is the wall clock. */
  constructor(dataFolder: string, nowSeconds: number, options: Omit<MemoryReplayGuardOptions, 'horizonSeconds'> = {}) {
    this.#files = new GuardFiles(dataFolder);
    const last = this.#files.readLastLife();
    this.#memory = new MemoryReplayGuard(
      last.ending === 'crash' ? { ...options, horizonSeconds: last.reservedSeconds } : options,
    );
    if (last.ending === 'clean') this.#memory.restore(last.remembered, nowSeconds);
    // From here on a crash must not find the clean mark of the life before. What that life accepted stays covered.
    this.#reservedSeconds = last.ending === 'none' ? 0 : last.reservedSeconds;
    this.#files.reserve(this.#reservedSeconds);
    this.#files.forgetSnapshot();
  }

  /** Signatures remembered now. */
  get size(): number {
    return this.#memory.size;
  }

  use(signature: UsedSignature, nowSeconds: number): Refusal | undefined {
    if (signature.created > this.#reservedSeconds) {
      const reservedSeconds = signature.created + reserveAheadSeconds;
      try {
        this.#files.reserve(reservedSeconds);
      } catch {
        return refuse('guard_unavailable', 'the mark of the replay guard cannot be written', { retryAfterSeconds: 5 });
      }
      this.#reservedSeconds = reservedSeconds;
    }
    return this.#memory.use(signature, nowSeconds);
  }

  /** Keeps what is remembered for the next start. The guard must not be used afterwards. */
  close(): void {
    this.#files.keep(this.#memory.remembered(), this.#reservedSeconds);
  }
}
