import { Worker } from 'node:worker_threads';
import type { DatabasePlace } from './database.ts';
import { StorageError, type StorageErrorCode } from './storage-error.ts';

/** A task for the thread. The argument is JSON, which is cheaper to pass than many small objects. */
export interface Task {
  readonly id: number;
  readonly name: string;
  readonly argument: string;
}

/**
 * The thread's response. Errors are sent as their parts, because an instance of our own error class would
 * arrive as a plain `Error`.
 */
export interface TaskOutcome {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: {
    readonly message: string;
    readonly stack: string | undefined;
    readonly storageCode?: StorageErrorCode;
  };
}

export interface TaskThreadOptions {
  /** The database, to which the thread opens its own connection. */
  readonly place: DatabasePlace;
  /** The thread's program, which calls `answerTasks`. */
  readonly program: URL;
  /** The thread's name, for tools. */
  readonly name: string;
  /** Returns the error for tasks in progress when the thread fails. */
  readonly whenLost: (cause: unknown) => StorageError;
}

/**
 * Runs tasks on a database in their own thread, on its own connection, so that no request waits for them. If
 * the thread has not been started, or has failed, the next task starts it.
 */
export class TaskThread {
  readonly #options: TaskThreadOptions;
  readonly #running = new Map<number, Running>();
  #worker: Worker | undefined;
  #lastId = 0;
  /** True once starting ahead of a task makes no sense: the thread has failed, or was closed. */
  #waitsForTask = false;

  constructor(options: TaskThreadOptions) {
    this.#options = options;
  }

  /**
   * Starts the thread now, so that the first task does not wait until it has loaded its program. Never throws: if there
   * cannot be another thread, or one has failed, only a task starts it, and reports why it failed.
   */
  start(): void {
    if (this.#worker !== undefined || this.#waitsForTask) return;
    try {
      this.#worker = this.#begin();
      this.#worker.unref();
    } catch {
      this.#waitsForTask = true;
    }
  }

  /**
   * Runs a task.
   *
   * @param argument plain JSON
   * @throws StorageError, or an error with the message and stack of the thread's
   */
  run(name: string, argument: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const worker = (this.#worker ??= this.#begin());
      this.#lastId += 1;
      this.#running.set(this.#lastId, { resolve, reject });
      // The process waits for a task before it exits, but not for an idle thread.
      worker.ref();
      const task: Task = { id: this.#lastId, name, argument: JSON.stringify(argument) };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(task);
    });
  }

  /** Ends the thread, which closes its connection. Tasks in progress fail. */
  async close(): Promise<void> {
    this.#waitsForTask = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref();
    // The thread may still be loading its program, and has nothing to finish.
    if (this.#lastId === 0) return void (await worker.terminate());
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage('close');
    await ended;
  }

  #begin(): Worker {
    const { place, program, name } = this.#options;
    const worker = new Worker(program, {
      // The thread needs neither the process's options nor the secrets in its environment.
      execArgv: [],
      env: {},
      workerData: place,
      name,
    });
    worker.on('message', (outcome: TaskOutcome) => this.#end(outcome));
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, new Error('The thread has ended.')));
    return worker;
  }

  #end({ id, result, error }: TaskOutcome): void {
    const running = this.#running.get(id);
    this.#running.delete(id);
    if (this.#running.size === 0) this.#worker?.unref();
    if (error === undefined) running?.resolve(result);
    else running?.reject(errorOf(error));
  }

  /** Fails the tasks in progress, and lets the next task start another thread. */
  #lose(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#waitsForTask = true;
    const lost = [...this.#running.values()];
    this.#running.clear();
    for (const { reject } of lost) reject(this.#options.whenLost(cause));
  }
}

interface Running {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

function errorOf({ message, stack, storageCode }: NonNullable<TaskOutcome['error']>): Error {
  const error = storageCode === undefined ? new Error(message) : new StorageError(storageCode, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
