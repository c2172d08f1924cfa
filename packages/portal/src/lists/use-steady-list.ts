import type { Page, ApiError } from '@countersign/contract';
import { type InfiniteData, useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useState } from 'react';

/** A list that stays as it is until the person asks for new entries. */
export interface SteadyList<Entry> {
  readonly pages: UseInfiniteQueryResult<InfiniteData<Page<Entry>>, ApiError>;
  /** The time as of which the list is shown. */
  readonly nowMs: number;
  /** The number of entries since the list was loaded. */
  readonly newCount: number;
  readonly noteNew: () => void;
  readonly showNew: () => void;
}

interface SteadyListParts<Entry> {
  /** Another key starts a new list. */
  readonly key: string;
  readonly load: (nowMs: number, cursor: string | undefined, signal: AbortSignal) => Promise<Page<Entry>>;
}

/**
 * Loads a list page by page, as of the moment it was first loaded. New entries are counted but not shown, so that nothing
 * jumps under the pointer. Live events therefore do not invalidate its queries.
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
    // Entries that could not be loaded are loaded then; displayed ones stay as they are.
    refetchOnReconnect: ({ state }) => state.data === undefined,
    // Keeps the old entries while the new ones load.
    placeholderData: (before, query) => (query?.queryKey[1] === key ? before : undefined),
  });
  return {
    pages,
    nowMs: current.nowMs,
    newCount: current.newCount,
    noteNew: () => setShown((before) => ({ ...before, newCount: before.newCount + 1 })),
    showNew: () => setShown({ key, nowMs: Date.now(), newCount: 0 }),
  };
}
