import { once } from 'node:events';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { DocumentReport, DocumentRequest } from './read-openapi.ts';

/**
 * The memory limit of this process, and therefore of its start: a document that the service can start with can
 * be read again. Reading YAML takes more than a hundred times its size, JSON about forty times.
 */
const memoryMegabytesMax = Math.floor(getHeapStatistics().heap_size_limit / 1_048_576);

/**
 * Reads an OpenAPI document in its own thread, with limited memory, while this thread continues.
 *
 * @param signal ends the reading; the promise then rejects with its reason
 */
export async function readOpenApiBeside(
  request: DocumentRequest,
  signal?: AbortSignal,
): Promise<DocumentReport> {
  signal?.throwIfAborted();
  const worker = new Worker(threadProgram, {
    // The thread needs neither the process's options nor the secrets in its environment.
    execArgv: [],
    env: {},
    workerData: request,
    name: 'OpenAPI document',
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytesMax },
  });
  try {
    const [report] = (await once(worker, 'message', { signal })) as [DocumentReport];
    return report;
  } catch (error) {
    signal?.throwIfAborted();
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    const message = isTooLarge
      ? `reading it takes more memory than the limit of ${memoryMegabytesMax} MB`
      : `cannot be read: ${String(error)}`;
    return { rules: [], mistakes: [{ place: undefined, message }], warnings: [] };
  } finally {
    await worker.terminate();
  }
}

/** The published package is JavaScript. */
const threadProgram = import.meta.url.endsWith('.ts')
  ? new URL('./document-thread.ts', import.meta.url)
  : new URL('./document-thread.js', import.meta.url);
