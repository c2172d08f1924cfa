import { useRef, useState } from 'react';
import type { DebugAnswer, DebugRequest } from './debug-request.ts';

/** The explaining of one request after the other. */
export interface Explaining {
  readonly state: 'idle' | 'busy' | 'failed';
  readonly answer: DebugAnswer | undefined;
  /** What the answer is of. */
  readonly request: DebugRequest | undefined;
  readonly explain: (request: Promise<DebugRequest>) => Promise<void>;
  readonly reset: () => void;
}

/** Explains in a worker; a new request takes the place of the one before. */
export function useExplaining(): Explaining {
  const [shown, setShown] = useState<Pick<Explaining, 'state' | 'answer' | 'request'>>({
    state: 'idle',
    answer: undefined,
    request: undefined,
  });
  const current = useRef<AbortController>(undefined);
  const explain = async (building: Promise<DebugRequest>): Promise<void> => {
    current.current?.abort();
    const control = new AbortController();
    current.current = control;
    setShown((before) => ({ ...before, state: 'busy' }));
    try {
      const request = await building;
      const answer = await explainInWorker(request, control.signal);
      if (!control.signal.aborted) setShown({ state: 'idle', answer, request });
    } catch {
      if (!control.signal.aborted) setShown({ state: 'failed', answer: undefined, request: undefined });
    }
  };
  const reset = (): void => {
    current.current?.abort();
    setShown({ state: 'idle', answer: undefined, request: undefined });
  };
  return { ...shown, explain, reset };
}

/** Ten times what the search may take. */
const patienceMs = 20_000;

/**
 * Explains in a worker, which ends with its answer. Rejects when the worker fails or takes too long; the error holds nothing
 * of the request.
 */
function explainInWorker(request: DebugRequest, signal: AbortSignal): Promise<DebugAnswer> {
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
