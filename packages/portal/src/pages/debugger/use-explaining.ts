import { useRef, useState } from 'react';
import type { DebugForm } from './debug-form.ts';
import type { DebugAnswer, DebugRequest } from './debug-request.ts';

export interface Explaining {
  readonly state: 'idle' | 'busy' | 'failed';
  readonly answer: DebugAnswer | undefined;
  /** The request that was explained. */
  readonly request: DebugRequest | undefined;
  /** The form as it was explained. */
  readonly explained: DebugForm | undefined;
  readonly explain: (request: Promise<DebugRequest>, form: DebugForm) => Promise<void>;
  readonly reset: () => void;
}

/** Explains requests in a worker. A new one replaces the previous one. */
export function useExplaining(): Explaining {
  const [shown, setShown] = useState<Shown>(nothing);
  const current = useRef<AbortController>(undefined);
  const explain = async (building: Promise<DebugRequest>, form: DebugForm): Promise<void> => {
    current.current?.abort();
    const control = new AbortController();
    current.current = control;
    setShown((before) => ({ ...before, state: 'busy' }));
    try {
      const request = await building;
      const answer = await explainInWorker(request, control.signal);
      if (!control.signal.aborted) setShown({ state: 'idle', answer, request, explained: form });
    } catch {
      if (!control.signal.aborted) setShown({ ...nothing, state: 'failed' });
    }
  };
  const reset = (): void => {
    current.current?.abort();
    setShown(nothing);
  };
  return { ...shown, explain, reset };
}

type Shown = Pick<Explaining, 'state' | 'answer' | 'request' | 'explained'>;

const nothing: Shown = { state: 'idle', answer: undefined, request: undefined, explained: undefined };

/** Ten times the search limit. */
const patienceMs = 20_000;

/**
 * Runs a worker for one explanation. Rejects if it fails or takes too long, with an error that contains
 * nothing of the request.
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
    // Only windows have an origin to name.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
