import type { DebugAnswer, DebugRequest } from './debug-request.ts';

/** Ten times what the search may take. */
const patienceMs = 20_000;

/**
 * Explains in a worker, which ends with its answer. Rejects when the worker fails or takes too long; the error holds nothing
 * of the request.
 */
export function explainInWorker(request: DebugRequest, signal: AbortSignal): Promise<DebugAnswer> {
  const worker = new Worker(new URL('./explain-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<DebugAnswer>((resolve, reject) => {
    const fail = (): void => reject(new Error('The request could not be explained.'));
    const timer = setTimeout(fail, patienceMs);
    signal.addEventListener('abort', fail);
    worker.addEventListener('message', ({ data }: MessageEvent<DebugAnswer | undefined>) => {
      clearTimeout(timer);
      if (data === undefined) fail();
      else resolve(data);
    });
    worker.addEventListener('error', fail);
    worker.addEventListener('messageerror', fail);
    // A worker has no origin to name; only windows do.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
