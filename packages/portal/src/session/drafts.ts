import { useLayoutEffect } from 'react';

const drafts = new Set<symbol>();
const listeners = new Set<() => void>();

/** Marks input as worth keeping while the person signs in again. Leaving the page does not ask about it. */
export function useDraft(isDirty: boolean): void {
  useLayoutEffect(() => {
    if (!isDirty) return undefined;
    const draft = Symbol('draft');
    drafts.add(draft);
    for (const listener of listeners) listener();
    return () => void drafts.delete(draft);
  }, [isDirty]);
}

/** Calls back whenever input that is worth keeping is typed; returns a function that unsubscribes. */
export function onDraft(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns true if the page has unsaved input. */
export function holdsDraft(): boolean {
  return drafts.size > 0;
}
