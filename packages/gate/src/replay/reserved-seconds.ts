import type { Refusal } from '@countersign/signature/node';
import { refuse } from '@countersign/signature/profile';
import type { GuardFiles, LastLife, MarkedSeconds } from './guard-files.ts';
import { rangeToReserve, SecondRanges } from './second-ranges.ts';

const retryEveryMs = 1000;

/**
 * The seconds of `created` in which one process accepts signatures, and their mark on disk.
 *
 * The mark names the seconds around the clock, and each second ahead or block of past ones when it is first used, so that
 * a client with a fast clock does not reserve the time in between. After a crash, it is unknown which signatures of
 * the reserved seconds were used, so all of them are rejected; no signatures of other seconds were used.
 */
export class ReservedSeconds {
  readonly #files: GuardFiles;
  readonly #refused: SecondRanges;
  readonly #onWriteError: (error: unknown) => void;
  #reserved: SecondRanges;
  #failing = false;
  #retryAtMs = 0;

  /**
   * Takes over from the last process. Throws if the mark cannot be written.
   *
   * @param onWriteError called when the mark cannot be written; called again only after a successful write in between
   */
  constructor(files: GuardFiles, last: LastLife, onWriteError: (error: unknown) => void = () => undefined) {
    this.#files = files;
    this.#onWriteError = onWriteError;
    this.#refused = last.ending === 'none' ? SecondRanges.none : last.refused;
    // From here on, a crash must not find the previous process's clean mark. Everything that process accepted stays
    // covered.
    this.#reserved = last.ending === 'none' ? SecondRanges.none : last.reserved;
    try {
      files.reserve(this.marked);
      files.forgetSnapshot();
    } catch (error) {
      files.close();
      throw error;
    }
  }

  /** The seconds for the next start. */
  get marked(): MarkedSeconds {
    return { reserved: this.#reserved, refused: this.#refused };
  }

  /** Returns true if signatures of this second are accepted. */
  has(created: number): boolean {
    return this.#reserved.has(created) && !this.#refused.has(created);
  }

  /** Makes sure that a second is reserved. Returns a rejection if it cannot be reserved. */
  reserve(created: number, nowSeconds: number): Refusal | undefined {
    if (this.#refused.has(created)) return this.#restarted(created, nowSeconds);
    if (this.#reserved.has(created) || this.#write(created, nowSeconds)) return undefined;
    return refuse('guard_unavailable', "the replay guard's mark cannot be written", {
      retryAfterSeconds: 5,
    });
  }

  /** Returns true if the mark could not be written. Then retries, at most once a second. */
  isUnwritable(): boolean {
    if (this.#failing && performance.now() >= this.#retryAtMs) {
      this.#retryAtMs = performance.now() + retryEveryMs;
      this.#writeMark(this.#reserved);
    }
    return this.#failing;
  }

  #write(created: number, nowSeconds: number): boolean {
    const reserved = this.#reserved.with(rangeToReserve(created, nowSeconds));
    return this.#writeMark(reserved);
  }

  #writeMark(reserved: SecondRanges): boolean {
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

  #restarted(created: number, nowSeconds: number): Refusal {
    return refuse(
      'recently_restarted',
      'the service cannot know whether this signature was used before a restart',
      { retryAfterSeconds: this.#refused.waitSeconds(created, nowSeconds) },
    );
  }
}
