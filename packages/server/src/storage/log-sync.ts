import { StorageError } from './storage-error.ts';

/**
 * Group commit: syncs the write-ahead log to disk for all transactions that have committed since the last sync,
 * while the thread continues. Callers that committed something, or read what others committed, wait for the
 * sync before they report it.
 */
export class LogSync {
  readonly #sync: () => Promise<void>;
  #committed = 0;
  #synced = 0;
  /** The sync in progress, with the number of commits that it covers. */
  #running: { readonly upTo: number; readonly done: Promise<void> } | undefined;
  /** The next sync, which will cover everything committed before it starts. */
  #next: Promise<void> | undefined;
  #isBroken = false;

  /** @param sync writes everything that the system has cached of the log to disk */
  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** True if a sync has failed: what is on disk is unknown. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Records that something was committed. */
  committed(): void {
    this.#committed += 1;
  }

  /** Resolves when everything committed so far is on disk; undefined if it already is. Rejects if the disk fails. */
  settled(): Promise<void> | undefined {
    if (this.#isBroken) return Promise.reject(inDoubt(undefined));
    if (this.#synced === this.#committed) return undefined;
    if (this.#running?.upTo === this.#committed) return this.#running.done;
    return (this.#next ??= this.#syncNext());
  }

  /** Records that everything committed so far has reached the disk in another way. */
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
      // A sync that succeeds after a failed one does not prove that the first one's data was written.
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
