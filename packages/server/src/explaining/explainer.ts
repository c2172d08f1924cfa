import { Worker } from 'node:worker_threads';
import type { ExplanationOutcome, ExplanationTask } from './explanation-task.ts';

/** What an explainer may be told. */
export interface ExplainerOptions {
  /** Told when the thread fails. */
  readonly onError: (error: unknown) => void;
  /** How many tasks wait at most, of all owners together; 16 unless set. */
  readonly waitingMax?: number;
  /** How many tasks of one owner wait at most; 4 unless set. */
  readonly waitingOfOwnerMax?: number;
  /** After so long a task is given up with its thread; 3,000 unless set. */
  readonly taskMsMax?: number;
}

/**
 * Explains in a thread of its own, one task at a time, so that no request waits for it. The thread is started by the first
 * task, and one that hangs or fails is replaced.
 */
export class Explainer {
  readonly #options: ExplainerOptions;
  readonly #waiting: WaitingTask[] = [];
  #worker: Worker | undefined;
  #present: WaitingTask | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ExplainerOptions) {
    this.#options = options;
  }

  /** Whether a task would begin at once. */
  get isIdle(): boolean {
    return this.#present === undefined && !this.#isClosed;
  }

  /**
   * Explains a request. Never rejects.
   *
   * @param owner whose task it is: nobody can keep all others waiting
   * @returns undefined when too many tasks wait, and when the thread has failed
   */
  run(task: ExplanationTask, owner: string): Promise<ExplanationOutcome | undefined> {
    const { waitingMax = 16, waitingOfOwnerMax = 4 } = this.#options;
    const ofOwner = this.#waiting.filter((one) => one.owner === owner).length;
    if (this.#isClosed || this.#waiting.length >= waitingMax || ofOwner >= waitingOfOwnerMax)
      return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<ExplanationOutcome | undefined>();
    this.#waiting.push({ task, owner, resolve });
    this.#begin();
    return promise;
  }

  /** Gives up what runs and what waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve(undefined);
    await this.#stopWorker();
    this.#end(undefined);
  }

  #begin(): void {
    if (this.#present !== undefined || this.#isClosed) return;
    this.#present = this.#waiting.shift();
    if (this.#present === undefined) return;
    this.#timer = setTimeout(() => void this.#fail(timeIsUp), this.#options.taskMsMax ?? 3000).unref();
    try {
      this.#worker ??= this.#startWorker();
      // A process that stops waits for the task, and for nothing of an idle thread.
      this.#worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      this.#worker.postMessage(this.#present.task);
    } catch (error) {
      void this.#fail(error);
    }
  }

  #end(outcome: ExplanationOutcome | undefined): void {
    clearTimeout(this.#timer);
    this.#present?.resolve(outcome);
    this.#present = undefined;
    this.#worker?.unref();
    this.#begin();
  }

  async #fail(error: unknown): Promise<void> {
    clearTimeout(this.#timer);
    this.#options.onError(error);
    await this.#stopWorker();
    this.#end(undefined);
  }

  #startWorker(): Worker {
    const worker = new Worker(workerFile, {
      // It needs neither the options of the process nor the secrets in its environment.
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    worker.on('message', (outcome: ExplanationOutcome) => this.#end(outcome));
    worker.on('error', (error) => {
      if (this.#worker === worker) void this.#fail(error);
    });
    return worker;
  }

  async #stopWorker(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.removeAllListeners('message');
    // When nothing else is left to do, the process would end before the thread has.
    worker?.ref();
    await worker?.terminate();
  }
}

interface WaitingTask {
  readonly task: ExplanationTask;
  readonly owner: string;
  readonly resolve: (outcome: ExplanationOutcome | undefined) => void;
}

/** In the published package the thread is JavaScript, as all else. */
const workerFile = import.meta.url.endsWith('.ts')
  ? new URL('./explain-worker.ts', import.meta.url)
  : new URL('./explain-worker.js', import.meta.url);
const timeIsUp = new Error('An explanation took too long, and was given up.');
