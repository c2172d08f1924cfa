import { parentPort, workerData } from 'node:worker_threads';
import { connectDatabase, type DatabasePlace } from './database.ts';
import { StorageError } from './storage-error.ts';
import type { Task, TaskOutcome } from './task-thread.ts';
import type { Database } from './transaction.ts';

/** Runs a task by its name. */
export type RunTask = (database: Database, name: string, argument: unknown) => Promise<unknown>;

/** How a thread runs its tasks. */
export interface TaskRules {
  /** The name that PostgreSQL shows for the thread's connection. */
  readonly applicationName: string;
  /** One task after the other, in the order of asking; otherwise they take turns. */
  readonly isInOrder: boolean;
}

/** Answers the tasks of a `TaskThread`: the thread's whole program. */
export function answerTasks({ applicationName, isInOrder }: TaskRules, run: RunTask): void {
  let connecting: Promise<Database> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const connect = async (): Promise<Database> => {
    connecting ??= connectDatabase(workerData as DatabasePlace, applicationName);
    try {
      return await connecting;
    } catch (error) {
      // The next task tries again.
      connecting = undefined;
      throw error;
    }
  };

  const outcomeOf = async ({ id, name, argument }: Task): Promise<TaskOutcome> => {
    try {
      return { id, result: await run(await connect(), name, JSON.parse(argument)) };
    } catch (error) {
      const { message, stack } = error as Error;
      const isOutage = error instanceof StorageError;
      return { id, error: { message, stack, ...(isOutage && { storageCode: error.code }) } };
    }
  };

  const answer = async (task: Task): Promise<void> => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort?.postMessage(await outcomeOf(task));
  };

  const close = async (): Promise<void> => {
    await (await connecting?.catch(() => undefined))?.destroy();
    parentPort?.close();
  };

  parentPort?.on('message', (task: Task | 'close') => {
    if (task === 'close') void last.then(close);
    else if (isInOrder) last = last.then(() => answer(task));
    else void answer(task);
  });
}
