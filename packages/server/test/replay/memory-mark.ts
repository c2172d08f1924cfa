import { type SecondRange, SecondRanges } from '@countersign/gate';
import type { EpochMark, MarkedEpoch } from '../../src/replay/guard-epoch.ts';

/** The mark of nodes that run in one test. */
export class MemoryMark implements EpochMark {
  #epoch = '';
  #reserved = SecondRanges.none;
  /** What each call waits for; a test makes it slow or makes it fail. */
  before: () => Promise<void> = () => Promise.resolve();

  async read(): Promise<MarkedEpoch> {
    await this.before();
    return { epoch: this.#epoch, reserved: this.#reserved };
  }

  async begin(epoch: string, instead: string): Promise<SecondRanges | undefined> {
    await this.before();
    if (this.#epoch !== instead) return undefined;
    this.#epoch = epoch;
    return this.#reserved;
  }

  async reserve(ranges: readonly SecondRange[], epoch: string): Promise<SecondRanges | undefined> {
    await this.before();
    if (this.#epoch !== epoch) return undefined;
    return (this.#reserved = ranges.reduce((all, range) => all.with(range), this.#reserved));
  }
}
