import { useState } from 'react';
import type { Entity } from './api.ts';
import { isApiError } from './api-error.ts';

/** The saving of something, with what others made of it meanwhile. */
export interface ConflictSaving<Draft, Resource> {
  readonly save: (draft: Draft) => Promise<void>;
  readonly saveOverTheirs: (draft: Draft) => Promise<void>;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** What is there now, when somebody else was faster. */
  readonly theirs: Resource | undefined;
  readonly dismissConflict: () => void;
}

/** How something is saved, and read anew. */
export interface ConflictSavingParts<Draft, Resource> {
  /** Saves in the state that `ifMatch` names; rejects with what the API refused. */
  readonly write: (draft: Draft, ifMatch: string) => Promise<void>;
  /** Reads what is there now; undefined for what is only being added. */
  readonly readTheirs: (() => Promise<Entity<Resource>>) | undefined;
}

/**
 * Saves in the state that was seen. When somebody else was faster (412), what is there now is read, so that people can
 * compare and choose.
 *
 * @param entityTag of the state that was seen
 */
export function useConflictSaving<Draft, Resource>(
  entityTag: string | undefined,
  { write, readTheirs }: ConflictSavingParts<Draft, Resource>,
): ConflictSaving<Draft, Resource> {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [current, setCurrent] = useState<Entity<Resource>>();
  const saveIn = async (draft: Draft, ifMatch: string = '*'): Promise<void> => {
    setIsBusy(true);
    setError(undefined);
    try {
      await write(draft, ifMatch);
      setCurrent(undefined);
    } catch (failure) {
      if (readTheirs && isApiError(failure, 'precondition_failed'))
        await readTheirs().then(setCurrent, setError);
      else if (!isApiError(failure, 'cancelled')) setError(failure);
    } finally {
      setIsBusy(false);
    }
  };
  return {
    save: (draft) => saveIn(draft, entityTag),
    saveOverTheirs: (draft) => saveIn(draft, current?.entityTag),
    isBusy,
    error,
    theirs: current?.body,
    dismissConflict: () => setCurrent(undefined),
  };
}
