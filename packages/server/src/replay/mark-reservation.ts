import type { EpochMark, MarkedEpoch } from './guard-epoch.ts';

/** The mark is set this many seconds ahead of the latest `created`; a lost store costs its callers as much. */
const reserveAheadSeconds = 2;

/**
 * Tracks which signatures one node may accept without asking the database: those up to the mark that it knows. One
 * statement at a time raises the mark, starting when the last reserved second is in use, so that requests seldom
 * wait.
 */
export class MarkReservation {
  readonly #mark: EpochMark;
  readonly #epoch: string;
  #reservedSeconds: number;
  #raising: Promise<boolean> | undefined;

  constructor(mark: EpochMark, { epoch, reservedSeconds }: MarkedEpoch) {
    this.#mark = mark;
    this.#epoch = epoch;
    this.#reservedSeconds = reservedSeconds;
  }

  /** The mark that this node knows. Unix seconds. */
  get reservedSeconds(): number {
    return this.#reservedSeconds;
  }

  /**
   * Makes sure that the mark is at this second or later. False if the epoch is over. Rejects if the database does not
   * answer.
   */
  cover(created: number): boolean | Promise<boolean> {
    if (created > this.#reservedSeconds) return this.#raise(created);
    // Raise ahead, because the next signature would wait. If this fails, the next one reports it.
    if (created === this.#reservedSeconds && !this.#raising) this.#raise(created).catch(() => undefined);
    return true;
  }

  async #raise(created: number): Promise<boolean> {
    while (this.#raising) {
      if (!(await this.#raising)) return false;
      if (created < this.#reservedSeconds) return true;
    }
    this.#raising = this.#raiseTo(created + reserveAheadSeconds);
    try {
      return await this.#raising;
    } finally {
      this.#raising = undefined;
    }
  }

  async #raiseTo(seconds: number): Promise<boolean> {
    const reserved = await this.#mark.raise(seconds, this.#epoch);
    if (reserved === undefined) return false;
    this.#reservedSeconds = Math.max(this.#reservedSeconds, reserved);
    return true;
  }
}
