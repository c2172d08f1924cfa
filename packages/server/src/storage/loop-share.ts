import { setImmediate as nextTurn } from 'node:timers/promises';

/** How much processor time the transactions of one turn of the event loop may take together, in microseconds. */
const turnMicrosecondsMax = 1000;

/**
 * The share of the event loop that the transactions of a connection take. Statements of SQLite run in the thread that
 * answers, one follows the other in the same turn, and so a transaction with a thousand of them would hold up everybody.
 * Counted in processor time, so that a busy machine does not end turns early.
 */
export class LoopShare {
  #startedAt: number | undefined;

  /** To wait for before a statement: resolves in the next turn if this one has had its share; undefined otherwise. */
  next(): Promise<void> | undefined {
    const now = threadMicroseconds();
    if (this.#startedAt === undefined) {
      this.#startedAt = now;
      setImmediate(() => (this.#startedAt = undefined));
      return undefined;
    }
    return now - this.#startedAt < turnMicrosecondsMax ? undefined : nextTurn();
  }
}

function threadMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
