import { type RefObject, useEffect, useRef } from 'react';
import type { OpenRequest } from './open-request.ts';

/**
 * Moves to the next request with J, to the previous one with K, and closes the open one with Escape: while the focus is
 * in the region of the list and the request, or nowhere (WCAG 2.1.4), and nobody types.
 */
export function useRequestKeys(region: RefObject<HTMLElement | null>, open: OpenRequest): void {
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const now = latest.current;
      if (!isShortcut(event, region.current)) return;
      const act = actsOf(now)[event.key.toLowerCase()];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [region]);
}

function actsOf({ next, previous, close }: OpenRequest): Readonly<Record<string, (() => void) | undefined>> {
  return { j: next, k: previous, escape: close };
}

/** What has keys of its own: fields, and menus and dialogs, which Escape closes. */
const ownKeys =
  'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"], [aria-expanded="true"]';

function isShortcut(event: KeyboardEvent, region: HTMLElement | null): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
    return false;
  const { target } = event;
  if (!(target instanceof Element) || target.closest(ownKeys)) return false;
  if (document.querySelector('[role="dialog"]')) return false;
  return target === document.body || region?.contains(target) === true;
}
