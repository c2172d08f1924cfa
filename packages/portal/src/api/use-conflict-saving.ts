import { useState } from 'react';
import type { Entity } from './api.ts';
import { isApiError } from './api-error.ts';

/** A save in progress, with another person's conflicting version. */
export interface ConflictSaving<Draft, Resource> {
  readonly save: (draft: Draft) => Promise<void>;
  readonly saveOverTheirs: (draft: Draft) => Promise<void>;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** The current version, if another person saved first. */
  readonly theirs: Resource | undefined;
  readonly dismissConflict: () => void;
}

/** The functions that save something and read it again. */
export interface ConflictSavingParts<Draft, Resource> {
  /** Saves in the state that `ifMatch` names; rejects with the API's error. */
  readonly write: (draft: Draft, ifMatch: string) => Promise<void>;
  /** Reads the current version; undefined for something that is being added. */
  readonly readTheirs: (() => Promise<Entity<Resource>>) | undefined;
}

/**
 * Saves in the state that was seen. If another person changed it first (412), reads the current version, so that
 * people can compare and choose.
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
