import { StorageError } from './storage-error.ts';

/**
 * Group commit: syncs the write-ahead log to disk for all transactions that have committed since the last sync, while
 * the thread goes on. Whoever committed something, or read what others committed, waits for the sync before telling
 * anybody.
 */
export class LogSync {
  readonly #sync: () => Promise<void>;
  #committed = 0;
  #synced = 0;
  /** The sync that is running covers this many commits. */
  #running: { readonly upTo: number; readonly done: Promise<void> } | undefined;
  /** The sync that hasn't begun, and will cover everything committed until then. */
  #next: Promise<void> | undefined;
  #isBroken = false;

  /** @param sync writes all of the log that the system has cached to the disk */
  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** True if a sync has failed: nobody knows what is on the disk. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Notes that something was committed. */
  committed(): void {
    this.#committed += 1;
  }

  /**
   * Resolves when everything committed so far is on the disk; undefined if it is already. Rejects if the disk fails.
   */
  settled(): Promise<void> | undefined {
    if (this.#isBroken) return Promise.reject(inDoubt(undefined));
    if (this.#synced === this.#committed) return undefined;
    if (this.#running?.upTo === this.#committed) return this.#running.done;
    return (this.#next ??= this.#syncNext());
  }

  /** Notes that everything committed so far has reached the disk in another way. */
  repaired(): void {
    this.#isBroken = false;
    this.#synced = this.#committed;
  }

  async #syncNext(): Promise<void> {
    await this.#running?.done.catch(() => undefined);
    this.#next = undefined;
    this.#running = { upTo: this.#committed, done: this.#syncNow(this.#committed) };
    await this.#running.done;
  }

  async #syncNow(upTo: number): Promise<void> {
    try {
      // A sync that succeeds after one that failed says nothing about what the first should have written.
      if (this.#isBroken) throw inDoubt(undefined);
      await this.#sync();
      this.#synced = Math.max(this.#synced, upTo);
    } catch (error) {
      this.#isBroken = true;
      throw inDoubt(error);
    } finally {
      this.#running = undefined;
    }
  }
}

function inDoubt(cause: unknown): StorageError {
  return new StorageError(
    'in_doubt',
    'The disk reports an error: check the disk of the data folder, check whether the change was made, then try again.',
    cause,
  );
}
