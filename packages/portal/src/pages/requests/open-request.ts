import type { RequestEntry } from '@countersign/contract';
import { type RefObject, useEffect, useRef } from 'react';
import type { RequestList } from '../../requests/use-request-list.ts';

/** The request that is shown beside the list, and the ways from there. */
export interface OpenRequest {
  readonly requestId: string;
  /** Undefined if the list has not loaded it. */
  readonly entry: RequestEntry | undefined;
  /** Undefined at the start of the list. */
  readonly previous: (() => void) | undefined;
  /** Loads more of the list if necessary. Undefined at its end. */
  readonly next: (() => void) | undefined;
  readonly close: () => void;
}

/** `undefined` closes the request. */
export type GoToRequest = (requestId: string | undefined) => void;

/** Returns the open request with its neighbours in the list. */
export function openRequestOf(
  list: RequestList,
  requestId: string | undefined,
  go: GoToRequest,
): OpenRequest | undefined {
  if (requestId === undefined) return undefined;
  const { entries, pages } = list;
  const index = entries.findIndex((entry) => entry.requestId === requestId);
  const before = entries[index - 1];
  const after = entries[index + 1];
  const goOn = async (): Promise<void> => {
    const known = new Set(entries.map((entry) => entry.requestId));
    const { data } = await pages.fetchNextPage();
    const added = data?.pages.at(-1)?.data.find((entry) => !known.has(entry.requestId));
    if (added !== undefined) go(added.requestId);
  };
  const onward = pages.hasNextPage && !pages.isFetchingNextPage ? () => void goOn() : undefined;
  return {
    requestId,
    entry: entries[index],
    previous: before && (() => go(before.requestId)),
    next: after ? () => go(after.requestId) : onward,
    close: () => go(undefined),
  };
}

/**
 * Keeps the open request's row in view, and gives the focus back to it when the request is closed, also by the
 * browser's Back.
 */
export function useRowFocus(region: RefObject<HTMLElement | null>, open: OpenRequest | undefined): void {
  const openId = open?.requestId;
  const isListed = open?.entry !== undefined;
  const previousId = useRef<string>(undefined);
  useEffect(() => {
    const rowOf = (requestId: string): HTMLElement | null =>
      region.current?.querySelector(`[data-row="${CSS.escape(requestId)}"]`) ?? null;
    const before = previousId.current;
    previousId.current = openId;
    if (openId !== undefined) {
      if (isListed) rowOf(openId)?.scrollIntoView({ block: 'nearest' });
      return;
    }
    if (before === undefined || isElsewhere(region.current)) return;
    const row = rowOf(before)?.querySelector('a');
    (row ?? document.querySelector<HTMLElement>('h1'))?.focus();
  }, [region, openId, isListed]);
}

/** True if a control outside the region has the focus. */
function isElsewhere(region: HTMLElement | null): boolean {
  const { activeElement } = document;
  return (
    activeElement !== null && activeElement !== document.body && region?.contains(activeElement) !== true
  );
}
