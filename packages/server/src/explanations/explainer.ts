import { Worker } from 'node:worker_threads';
import type { CandidateKey, Explanation, RequestToExplain } from '@countersign/explain';
import type { ExplainRequestOptions } from '@countersign/explain/node';
import type { MessageProfile } from '@countersign/explain/profiles';
import type { UnkeptParts } from './kept-explanation.ts';

/** A request to explain, with the keys that the explanation's reader may see. */
export interface ExplanationTask {
  readonly request: RequestToExplain;
  readonly candidates: readonly CandidateKey[];
  readonly options: ExplainRequestOptions;
  /** The client's profile, if it is not one of the closed ones of `options`. */
  readonly messageProfile?: MessageProfile | undefined;
  /** Set if the explanation will be stored: the parts of the request that must not be stored. */
  readonly unkept?: UnkeptParts;
}

/** An explanation and its cost. */
export interface ExplanationOutcome {
  readonly explanation: Explanation;
  readonly durationMs: number;
  /** Its processor time, which does not depend on other processes on a busy machine. */
  readonly cpuMs: number;
  /** The text to store, if the task asked for it. */
  readonly kept?: string | undefined;
}

/** The thread's response: the outcome, or the error that ended the task. */
export type ThreadResponse = { readonly outcome: ExplanationOutcome } | { readonly error: unknown };

export interface ExplainerOptions {
  /** Called if a task or the thread fails. */
  readonly onError: (error: unknown) => void;
  /** Called after each explanation. */
  readonly onExplained?: (durationMs: number) => void;
  /** Maximum number of waiting tasks of all owners together. Default: 16. */
  readonly waitingMax?: number;
  /** Maximum number of waiting tasks of one owner. Default: 4. */
  readonly waitingOfOwnerMax?: number;
  /** The time after which a task and its thread are abandoned. Default: 3,000. */
  readonly taskMsMax?: number | undefined;
}

/**
 * Explains in a separate thread, one task at a time, so that no request waits for it. The first task starts the
 * thread; a thread that hangs or fails is replaced.
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

  /** True if a new task would start at once. */
  get isIdle(): boolean {
    return this.#present === undefined && !this.#isClosed;
  }

  /**
   * Explains a request. Never rejects.
   *
   * @param owner the task's owner; the number of waiting tasks per owner is limited, so that none delays all
   *   others
   * @returns undefined if too many tasks wait or the task has failed
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

  /** Abandons running and waiting tasks. */
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
      // The process waits for a task before it exits, but not for an idle thread.
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
      // The thread needs neither the process's options nor the secrets in its environment.
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    worker.on('message', (answer: ThreadResponse) => {
      if ('error' in answer) {
        this.#options.onError(answer.error);
        this.#end(undefined);
        return;
      }
      this.#options.onExplained?.(answer.outcome.durationMs);
      this.#end(answer.outcome);
    });
    worker.on('error', (error) => {
      if (this.#worker === worker) void this.#fail(error);
    });
    return worker;
  }

  async #stopWorker(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.removeAllListeners('message');
    // Otherwise the process might exit before the thread has.
    worker?.ref();
    await worker?.terminate();
  }
}

interface WaitingTask {
  readonly task: ExplanationTask;
  readonly owner: string;
  readonly resolve: (outcome: ExplanationOutcome | undefined) => void;
}

/** The published package is JavaScript. */
const workerFile = import.meta.url.endsWith('.ts')
  ? new URL('./explain-worker.ts', import.meta.url)
  : new URL('./explain-worker.js', import.meta.url);
const timeIsUp = new Error('An explanation took too long and was abandoned.');
