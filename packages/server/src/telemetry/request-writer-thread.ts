/*
 * The thread that writes the request log: it runs one write after the other, on its own connection to the database.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { connectDatabase, type DatabasePlace } from '../storage/database.ts';
import { StorageError } from '../storage/storage-error.ts';
import type { Database } from '../storage/transaction.ts';
import type { WriteOutcome, WriteTask } from './request-writer.ts';
import { requestWritesTo } from './request-writes.ts';

let database: Database | undefined;
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (task: WriteTask | 'close') => {
  last = last.then(() => (task === 'close' ? close() : run(task)));
});

async function run({ id, name, argument }: WriteTask): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(await outcomeOf(id, name, argument));
}

async function outcomeOf(id: number, name: WriteTask['name'], argument: string): Promise<WriteOutcome> {
  try {
    database ??= await connectDatabase(workerData as DatabasePlace, 'countersign request log');
    const write = requestWritesTo(database)[name] as (argument: unknown) => Promise<unknown>;
    return { id, result: await write(JSON.parse(argument)) };
  } catch (error) {
    const { message, stack } = error as Error;
    const isOutage = error instanceof StorageError;
    return { id, error: { message, stack, ...(isOutage && { storageCode: error.code }) } };
  }
}

async function close(): Promise<void> {
  await database?.destroy();
  parentPort?.close();
}
