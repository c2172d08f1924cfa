import { useRef, useState } from 'react';
import type { DebugAnswer, DebugRequest } from './debug-request.ts';
import { explainInWorker } from './explain-in-worker.ts';

/** The explaining of one request after the other. */
export interface Explaining {
  readonly state: 'idle' | 'busy' | 'failed';
  readonly answer: DebugAnswer | undefined;
  /** What the answer is of. */
  readonly request: DebugRequest | undefined;
  readonly explain: (request: DebugRequest) => Promise<void>;
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
  const explain = async (request: DebugRequest): Promise<void> => {
    current.current?.abort();
    const control = new AbortController();
    current.current = control;
    setShown((before) => ({ ...before, state: 'busy' }));
    try {
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
