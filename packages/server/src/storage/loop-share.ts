import { nextLoopTurn } from '@countersign/gate/loop-turns';

/** How long the transactions of one turn of the event loop may take together, in milliseconds. */
const turnMsMax = 0.5;

/**
 * Divides a connection's transactions among turns of the event loop. SQLite runs statements in the thread that serves
 * requests, and they follow each other within a turn, so a transaction with a thousand of them would delay every other
 * request. A busy machine ends turns early, which costs little; its count of processor time may be too coarse, because
 * some systems count in steps of 4 ms.
 */
export class LoopShare {
  #startedAtMs: number | undefined;

  /**
   * Returns a promise to await before a statement if this turn's share is used up. It resolves in a later turn, which
   * has a share of its own.
   */
  next(): Promise<void> | undefined {
    if (this.#startedAtMs === undefined) {
      this.#start();
      return undefined;
    }
    if (performance.now() - this.#startedAtMs < turnMsMax) return undefined;
    return nextLoopTurn('transactions').then(() => this.#start());
  }

  /** Begins the share of this turn, which ends with it. */
  #start(): void {
    this.#startedAtMs = performance.now();
    setImmediate(() => (this.#startedAtMs = undefined));
  }
}
