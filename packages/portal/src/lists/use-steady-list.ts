import type { Page, ApiError } from '@countersign/contract';
import { type InfiniteData, useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useState } from 'react';

/** A list that stays as it is until somebody asks for what is new. */
export interface SteadyList<Entry> {
  readonly pages: UseInfiniteQueryResult<InfiniteData<Page<Entry>>, ApiError>;
  /** How many came since the list was read. */
  readonly newCount: number;
  /** Counts one that has come. */
  readonly noteNew: () => void;
  /** Reads the list again, with the new ones. */
  readonly showNew: () => void;
}

interface SteadyListParts<Entry> {
  /** What is listed; another key begins anew. */
  readonly key: string;
  /** Asks for one page. */
  readonly load: (nowMs: number, cursor: string | undefined, signal: AbortSignal) => Promise<Page<Entry>>;
}

/**
 * Reads a list page after page, by the clock of the moment at which it was begun. What comes meanwhile is counted and not
 * shown, so that nothing jumps under the pointer; therefore its answers are not among those that events have read anew.
 */
export function useSteadyList<Entry>({ key, load }: SteadyListParts<Entry>): SteadyList<Entry> {
  const [shown, setShown] = useState({ key, nowMs: Date.now(), newCount: 0 });
  const current = shown.key === key ? shown : { key, nowMs: Date.now(), newCount: 0 };
  if (current !== shown) setShown(current);
  const pages = useInfiniteQuery<
    Page<Entry>,
    ApiError,
    InfiniteData<Page<Entry>>,
    readonly unknown[],
    string | undefined
  >({
    queryKey: ['steady-list', key, current.nowMs],
    queryFn: ({ signal, pageParam }) => load(current.nowMs, pageParam, signal),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // While the new ones are read, those of before stay.
    placeholderData: (before, query) => (query?.queryKey[1] === key ? before : undefined),
  });
  return {
    pages,
    newCount: current.newCount,
    noteNew: () => setShown((before) => ({ ...before, newCount: before.newCount + 1 })),
    showNew: () => setShown({ key, nowMs: Date.now(), newCount: 0 }),
  };
}
