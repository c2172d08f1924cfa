import { useEffect, useLayoutEffect } from 'react';
import { type BrowserLocationHook, navigate, useBrowserLocation } from 'wouter/use-browser-location';

/** Asks whether to leave; resolves with whether the person leaves. */
export type LeavePrompt = () => Promise<boolean>;

const guards = new Set<symbol>();
let prompt: LeavePrompt | undefined;
/** Where the page is, for the way back when the browser's own buttons were used. */
let shownHref = location.href;

/**
 * Asks before the page is left while `isDirty`: in the portal with a dialog, at closing and reloading with the browser's
 * own question.
 */
export function useUnsavedGuard(isDirty: boolean): void {
  // Taken back before a redirect that comes in its place: what is gone already, nobody can be asked to keep.
  useLayoutEffect(() => {
    if (!isDirty) return undefined;
    const guard = Symbol('unsaved');
    guards.add(guard);
    const keep = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', keep);
    return () => {
      guards.delete(guard);
      removeEventListener('beforeunload', keep);
    };
  }, [isDirty]);
}

/** Leaves without asking: for what has just been saved, before the page knows it. */
export function navigateSaved(to: string, options?: { readonly replace?: boolean }): void {
  guards.clear();
  navigate(`/portal${to}`, options);
}

/** Sets what asks; returns what takes it back. */
export function provideLeavePrompt(next: LeavePrompt): () => void {
  prompt = next;
  return () => {
    if (prompt === next) prompt = undefined;
  };
}

/** The location for the router: a navigation waits for the answer while something is not saved. */
export const useGuardedLocation: BrowserLocationHook = (options) => {
  const [path, go] = useBrowserLocation(options);
  useEffect(() => {
    shownHref = location.href;
  });
  const guarded: typeof go = (to, ...others) => {
    if (guards.size === 0 || isSamePage(to)) return go(to, ...others);
    void mayLeave().then((leaves) => {
      if (leaves) go(to, ...others);
    });
  };
  return [path, guarded];
};

/**
 * Watches the browser's buttons back and forward. By the time they are noticed the address has changed already, so it is put
 * back, and set again when the person does leave. To be called once, before the router listens.
 */
export function guardHistory(): void {
  addEventListener(
    'popstate',
    (event) => {
      const target = location.href;
      if (guards.size === 0 || isSamePage(target)) return;
      event.stopImmediatePropagation();
      history.pushState(null, '', shownHref);
      void mayLeave().then((leaves) => {
        if (leaves) navigate(target);
      });
    },
    { capture: true },
  );
}

async function mayLeave(): Promise<boolean> {
  const leaves = (await prompt?.()) ?? true;
  if (leaves) guards.clear();
  return leaves;
}

/** A change of what follows `?` or `#` leaves nothing. */
function isSamePage(to: string | URL): boolean {
  return new URL(to, shownHref).pathname === new URL(shownHref).pathname;
}
