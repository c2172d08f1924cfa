import type { EpochMark, MarkedEpoch } from './guard-epoch.ts';

/** How far ahead of the latest `created` the mark is set: what a lost store costs its callers, in seconds. */
const reserveAheadSeconds = 2;

/**
 * What one node may accept without asking the database: signatures up to the mark as it knows it. The mark is raised by
 * one statement at a time, and already while the last of the reserved seconds is used, so that requests seldom wait.
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

  /** The mark as this node knows it. Unix seconds. */
  get reservedSeconds(): number {
    return this.#reservedSeconds;
  }

  /**
   * Makes sure that the mark is at this second or later. False when the epoch is over. Rejects when the database does
   * not answer.
   */
  cover(created: number): boolean | Promise<boolean> {
    if (created > this.#reservedSeconds) return this.#raise(created);
    // The one that comes next would wait; a failure now is its to report.
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
