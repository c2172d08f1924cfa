/** How items are put together. */
export interface BatchLimits {
  /** Items in one batch at most. */
  readonly itemsMax: number;
  /** Batches on their way at a time. */
  readonly batchesMax: number;
  /** How long an item waits for its batch; then it is refused. */
  readonly waitMsMax: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly sinceMs: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** An item has waited too long for the batches before it. */
export class BatchWaitError extends Error {
  override readonly name = 'BatchWaitError';
}

/**
 * Sends what comes while a statement is on its way with the next one. Under load a commit, which waits for the disk, is
 * shared by many; without load nothing waits.
 */
export class Batches<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #limits: BatchLimits;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;

  /** @param run gives one result for each item, in their order */
  constructor(run: (items: readonly Item[]) => Promise<readonly Result[]>, limits: BatchLimits) {
    this.#run = run;
    this.#limits = limits;
  }

  /** The result of an item. Rejects when its batch fails, and with BatchWaitError when it would come too late. */
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
