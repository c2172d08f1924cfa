import type { DatabasePlace } from '../../storage/database.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { TaskThread } from '../../storage/task-thread.ts';
import type { RequestWrites } from './request-writes.ts';

/**
 * Runs the request log's writes in their own thread, on its own connection, so that no request waits for them.
 * The first write starts the thread; a thread that fails is replaced.
 */
export class RequestWriter implements RequestWrites {
  readonly #thread: TaskThread;

  /** @param program the thread's program; only tests replace it */
  constructor(place: DatabasePlace, program: URL = threadProgram) {
    this.#thread = new TaskThread({ place, program, name: 'request log', whenLost });
  }

  insertRequests(rows: Argument<'insertRequests'>): Promise<void> {
    return this.#run('insertRequests', rows);
  }

  addCounts(rows: Argument<'addCounts'>): Promise<void> {
    return this.#run('addCounts', rows);
  }

  addFigures(rows: Argument<'addFigures'>): Promise<void> {
    return this.#run('addFigures', rows);
  }

  addMinutes(rows: Argument<'addMinutes'>): Promise<void> {
    return this.#run('addMinutes', rows);
  }

  addAddresses(rows: Argument<'addAddresses'>): Promise<void> {
    return this.#run('addAddresses', rows);
  }

  addUnattributedCounts(rows: Argument<'addUnattributedCounts'>): Promise<void> {
    return this.#run('addUnattributedCounts', rows);
  }

  insertExplanations(rows: Argument<'insertExplanations'>): Promise<void> {
    return this.#run('insertExplanations', rows);
  }

  writeLastUses(uses: Argument<'writeLastUses'>): Promise<void> {
    return this.#run('writeLastUses', uses);
  }

  trim(bounds: Argument<'trim'>): Promise<boolean> {
    return this.#run('trim', bounds);
  }

  trimAccounts(nowMs: number): Promise<boolean> {
    return this.#run('trimAccounts', nowMs);
  }

  /** Ends the thread, which closes its connection. Pending writes fail. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  #run<Name extends keyof RequestWrites>(name: Name, argument: Argument<Name>): Promise<Result<Name>> {
    return this.#thread.run(name, argument) as Promise<Result<Name>>;
  }
}

type Argument<Name extends keyof RequestWrites> = Parameters<RequestWrites[Name]>[0];
type Result<Name extends keyof RequestWrites> = Awaited<ReturnType<RequestWrites[Name]>>;

/** The write may or may not have happened. */
function whenLost(cause: unknown): StorageError {
  return new StorageError('in_doubt', 'The thread that writes the request log has failed.', cause);
}

/** The published package is JavaScript. */
const threadProgram = import.meta.url.endsWith('.ts')
  ? new URL('./request-writer-thread.ts', import.meta.url)
  : new URL('./request-writer-thread.js', import.meta.url);
