import { parentPort, workerData } from 'node:worker_threads';
import { connectDatabase, type DatabasePlace } from './database.ts';
import { StorageError } from './storage-error.ts';
import type { Task, TaskOutcome } from './task-thread.ts';
import type { Database } from './transaction.ts';

/** Runs a task, given its name. */
export type RunTask = (name: string, argument: unknown) => Promise<unknown>;

/** The rules by which a thread runs its tasks. */
export interface TaskRules {
  /** The name that PostgreSQL shows for the thread's connection. */
  readonly applicationName: string;
  /** True to run one task after the other, in order of arrival; otherwise they take turns. */
  readonly isInOrder: boolean;
  /** Returns the memory within a result that is transferred instead of copied. The thread loses it. */
  readonly memoryOf?: (result: unknown) => readonly ArrayBuffer[];
}

/**
 * Handles the tasks of a `TaskThread`: this is the thread's whole program.
 *
 * @param runnerOn returns the function that runs tasks on a database
 */
export function answerTasks(
  { applicationName, isInOrder, memoryOf = () => [] }: TaskRules,
  runnerOn: (database: Database) => RunTask,
): void {
  let connecting: Promise<Connection> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const connect = async (): Promise<Connection> => {
    const database = await connectDatabase(workerData as DatabasePlace, applicationName);
    return { database, run: runnerOn(database) };
  };

  const connection = async (): Promise<Connection> => {
    const present = (connecting ??= connect());
    try {
      return await present;
    } catch (error) {
      // The next task retries, unless another one has done so meanwhile.
      if (connecting === present) connecting = undefined;
      throw error;
    }
  };

  const send = (outcome: TaskOutcome, transferred: readonly ArrayBuffer[]): void => {
    parentPort?.postMessage(outcome, [...transferred]);
  };

  const answer = async ({ id, name, argument }: Task): Promise<void> => {
    try {
      const { run } = await connection();
      const result = await run(name, JSON.parse(argument));
      send({ id, result }, memoryOf(result));
    } catch (error) {
      const { message, stack } = error as Error;
      const isOutage = error instanceof StorageError;
      send({ id, error: { message, stack, ...(isOutage && { storageCode: error.code }) } }, []);
    }
  };

  const close = async (): Promise<void> => {
    const opened = await connecting?.catch(() => undefined);
    await opened?.database.destroy();
    parentPort?.close();
  };

  parentPort?.on('message', (task: Task | 'close') => {
    if (task === 'close') void last.then(close);
    else if (isInOrder) last = last.then(() => answer(task));
    else void answer(task);
  });
}

interface Connection {
  readonly database: Database;
  readonly run: RunTask;
}
