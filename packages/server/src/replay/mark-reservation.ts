import { isNearClock, rangeToReserve, type SecondRange, type SecondRanges } from '@countersign/gate';
import type { EpochMark, MarkedEpoch } from './guard-epoch.ts';

/**
 * Tracks which signatures one node may accept without querying the database: those of the seconds that it knows
 * to be reserved. One statement at a time reserves more seconds, for everything waiting. Seconds around the
 * current time are reserved before they are needed, so that requests seldom wait.
 */
export class MarkReservation {
  readonly #mark: EpochMark;
  readonly #epoch: string;
  #reserved: SecondRanges;
  /** The ranges for the next statement. */
  #wanted: SecondRange[] = [];
  /** Settles when the next statement has. */
  #next: Promise<boolean> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(mark: EpochMark, { epoch, reserved }: MarkedEpoch) {
    this.#mark = mark;
    this.#epoch = epoch;
    this.#reserved = reserved;
  }

  /** The seconds that this node knows to be reserved. */
  get reserved(): SecondRanges {
    return this.#reserved;
  }

  /**
   * Makes sure that a second is reserved. Returns false if the epoch is over. Rejects if the database does not
   * respond.
   */
  cover(created: number, nowSeconds: number): boolean | Promise<boolean> {
    if (!this.#reserved.has(created)) return this.#reserve(rangeToReserve(created, nowSeconds));
    // Reserve ahead, because the next signature would wait. If this fails, the next one reports it.
    const isLast = isNearClock(created, nowSeconds) && !this.#reserved.has(Math.floor(nowSeconds) + 1);
    if (isLast && !this.#next) this.#reserve(rangeToReserve(created, nowSeconds)).catch(() => undefined);
    return true;
  }

  #reserve(range: SecondRange): Promise<boolean> {
    this.#wanted.push(range);
    this.#next ??= this.#last.then(() => this.#write());
    // A failure is reported to all callers waiting for this statement, and the next statement tries again.
    this.#last = this.#next.catch(() => undefined);
    return this.#next;
  }

  async #write(): Promise<boolean> {
    const ranges = this.#wanted;
    this.#wanted = [];
    this.#next = undefined;
    const reserved = await this.#mark.reserve(ranges, this.#epoch);
    if (reserved === undefined) return false;
    this.#reserved = this.#reserved.union(reserved);
    return true;
  }
}
