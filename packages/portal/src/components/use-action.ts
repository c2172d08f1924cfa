import { useState } from 'react';

interface Action {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly run: () => Promise<void>;
}

/** Runs an action for a button, and keeps its busy state and its error. */
export function useAction(action: () => unknown): Action {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (): Promise<void> => {
    setIsBusy(true);
    setError(undefined);
    try {
      await action();
    } catch (failure) {
      setError(failure);
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, error, run };
}
