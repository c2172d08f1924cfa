import type { EpochMark, MarkedEpoch } from '../../src/replay/guard-epoch.ts';

/** The mark of nodes that run in one test. */
export class MemoryMark implements EpochMark {
  #epoch = '';
  #reservedSeconds = 0;
  /** What each call waits for; a test makes it slow or makes it fail. */
  before: () => Promise<void> = () => Promise.resolve();

  async read(): Promise<MarkedEpoch> {
    await this.before();
    return { epoch: this.#epoch, reservedSeconds: this.#reservedSeconds };
  }

  async begin(epoch: string, instead: string): Promise<number | undefined> {
    await this.before();
    if (this.#epoch !== instead) return undefined;
    this.#epoch = epoch;
    return this.#reservedSeconds;
  }

  async raise(toSeconds: number, epoch: string): Promise<number | undefined> {
    await this.before();
    if (this.#epoch !== epoch) return undefined;
    return (this.#reservedSeconds = Math.max(this.#reservedSeconds, toSeconds));
  }
}
