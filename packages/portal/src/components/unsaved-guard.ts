import { useEffect, useLayoutEffect } from 'react';
import { type BrowserLocationHook, navigate, useBrowserLocation } from 'wouter/use-browser-location';
import { useDraft } from '../session/drafts.ts';

/** Resolves to true if the person leaves. */
export type LeavePrompt = () => Promise<boolean>;

const guards = new Set<symbol>();
let prompt: LeavePrompt | undefined;
/** The address to restore when the browser's own buttons were used. */
let shownHref = location.href;

/**
 * Asks before the person leaves an unsaved page: by dialog within the portal, by the browser's own prompt on close and
 * reload.
 */
export function useUnsavedGuard(isDirty: boolean): void {
  useDraft(isDirty);
  // Removed before a redirect takes effect: there is nothing left to keep.
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

/** Navigates without asking, right after a save. */
export function navigateSaved(to: string, options?: { readonly replace?: boolean }): void {
  guards.clear();
  navigate(`/portal${to}`, options);
}

/** Returns a function that removes the prompt. */
export function provideLeavePrompt(next: LeavePrompt): () => void {
  prompt = next;
  return () => {
    if (prompt === next) prompt = undefined;
  };
}

/** The router's location hook. A navigation waits for the person's decision while something is unsaved. */
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
 * Guards the back and forward buttons. Their event arrives after the address has changed, so the address is restored,
 * and set again once the person leaves. Call it once, before the router listens.
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

/** Changing only the query or fragment does not leave the page. */
function isSamePage(to: string | URL): boolean {
  return new URL(to, shownHref).pathname === new URL(shownHref).pathname;
}
