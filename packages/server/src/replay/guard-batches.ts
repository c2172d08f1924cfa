export interface BatchLimits {
  /** Maximum items per batch. */
  readonly itemsMax: number;
  /** Maximum batches in flight. */
  readonly batchesMax: number;
  /** An item that waits longer than this for its batch is rejected. */
  readonly waitMsMax: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly sinceMs: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** An item waited too long for the batches ahead of it. */
export class BatchWaitError extends Error {
  override readonly name = 'BatchWaitError';
}

/**
 * Collects items that arrive while a statement is running and sends them with the next one. Under load, many items
 * share a commit, which waits for the disk; without load, nothing waits.
 */
export class Batches<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #limits: BatchLimits;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;

  /** @param run returns one result per item, in order */
  constructor(run: (items: readonly Item[]) => Promise<readonly Result[]>, limits: BatchLimits) {
    this.#run = run;
    this.#limits = limits;
  }

  /** Resolves with the item's result. Rejects if its batch fails, and with BatchWaitError if it would be too late. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, sinceMs: performance.now(), resolve, reject });
      this.#send();
    });
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#running < this.#limits.batchesMax) {
      const batch = this.#inTime(this.#waiting.splice(0, this.#limits.itemsMax));
      if (batch.length > 0) this.#sendBatch(batch);
    }
  }

  #inTime(items: readonly Waiting<Item, Result>[]): readonly Waiting<Item, Result>[] {
    const oldestMs = performance.now() - this.#limits.waitMsMax;
    return items.filter(({ sinceMs, reject }) => {
      if (sinceMs >= oldestMs) return true;
      reject(new BatchWaitError('There was no time for it.'));
      return false;
    });
  }

  #sendBatch(batch: readonly Waiting<Item, Result>[]): void {
    this.#running += 1;
    this.#run(batch.map(({ item }) => item))
      .then(
        (results) => {
          for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
        },
        (error: unknown) => {
          for (const { reject } of batch) reject(error);
        },
      )
      .finally(() => {
        this.#running -= 1;
        this.#send();
      });
  }
}
