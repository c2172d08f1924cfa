import { Worker } from 'node:worker_threads';
import { StorageError, type StorageErrorCode } from '../storage/storage-error.ts';
import type { DatabasePlace } from '../storage/database.ts';
import type { RequestWrites } from './request-writes.ts';

type WriteName = keyof RequestWrites;

/** A write for the thread. The argument is JSON, which is cheaper to pass than many small objects. */
export interface WriteTask {
  readonly id: number;
  readonly name: WriteName;
  readonly argument: string;
}

/** The thread's answer. Errors are told by their parts, because an error of our own class would arrive as a plain one. */
export interface WriteOutcome {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: {
    readonly message: string;
    readonly stack: string | undefined;
    readonly storageCode?: StorageErrorCode;
  };
}

/**
 * Runs the request log's writes in a thread of its own, on its own connection, so that no request waits for them. The
 * first write starts the thread; one that fails is replaced.
 */
export class RequestWriter implements RequestWrites {
  readonly #place: DatabasePlace;
  readonly #program: URL;
  readonly #running = new Map<number, Running>();
  #worker: Worker | undefined;
  #lastId = 0;

  /** @param program what the thread runs; only tests have another one */
  constructor(place: DatabasePlace, program: URL = threadProgram) {
    this.#place = place;
    this.#program = program;
  }

  insertRequests(rows: Argument<'insertRequests'>): Promise<void> {
    return this.#run('insertRequests', rows);
  }

  addCounts(rows: Argument<'addCounts'>): Promise<void> {
    return this.#run('addCounts', rows);
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

  /** Ends the thread, which closes its connection. Writes that still run fail. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref();
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage('close');
    await ended;
  }

  #run<Name extends WriteName>(name: Name, argument: Argument<Name>): Promise<Result<Name>> {
    return new Promise<Result<Name>>((resolve, reject) => {
      const worker = (this.#worker ??= this.#start());
      this.#lastId += 1;
      this.#running.set(this.#lastId, { resolve: resolve as Running['resolve'], reject });
      // A stopping process waits for the write, but not for an idle thread.
      worker.ref();
      const task: WriteTask = { id: this.#lastId, name, argument: JSON.stringify(argument) };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(task);
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#program, {
      // It needs neither the process's options nor the secrets in its environment.
      execArgv: [],
      env: {},
      workerData: this.#place,
      name: 'request log',
    });
    worker.on('message', (outcome: WriteOutcome) => this.#end(outcome));
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, new Error('The thread has ended.')));
    return worker;
  }

  #end({ id, result, error }: WriteOutcome): void {
    const running = this.#running.get(id);
    this.#running.delete(id);
    if (this.#running.size === 0) this.#worker?.unref();
    if (error === undefined) running?.resolve(result);
    else running?.reject(errorOf(error));
  }

  /** Fails what runs, because it is unknown if it was written, and lets the next write start another thread. */
  #lose(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const lost = [...this.#running.values()];
    this.#running.clear();
    for (const { reject } of lost)
      reject(new StorageError('in_doubt', 'The thread that writes the request log has failed.', cause));
  }
}

type Argument<Name extends WriteName> = Parameters<RequestWrites[Name]>[0];
type Result<Name extends WriteName> = Awaited<ReturnType<RequestWrites[Name]>>;

interface Running {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

function errorOf({ message, stack, storageCode }: NonNullable<WriteOutcome['error']>): Error {
  const error = storageCode === undefined ? new Error(message) : new StorageError(storageCode, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** The published package is JavaScript. */
const threadProgram = import.meta.url.endsWith('.ts')
  ? new URL('./request-writer-thread.ts', import.meta.url)
  : new URL('./request-writer-thread.js', import.meta.url);
