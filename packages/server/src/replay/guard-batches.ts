/** How items are put together. */
export interface BatchLimits {
  /** Items in one batch at most. */
  readonly itemsMax: number;
  /** Batches on their way at a time. */
  readonly batchesMax: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
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

  /**
   * The result of an item. Rejects when its batch fails; and when one before it fails, since it would only wait for the
   * same outage.
   */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#send();
    });
  }

  #send(): void {
    if (this.#waiting.length === 0 || this.#running === this.#limits.batchesMax) return;
    const batch = this.#waiting.splice(0, this.#limits.itemsMax);
    this.#running += 1;
    this.#run(batch.map(({ item }) => item))
      .then(
        (results) => {
          for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
        },
        (error: unknown) => {
          const failed = [...batch, ...this.#waiting];
          this.#waiting = [];
          for (const { reject } of failed) reject(error);
        },
      )
      .finally(() => {
        this.#running -= 1;
        this.#send();
      });
  }
}
