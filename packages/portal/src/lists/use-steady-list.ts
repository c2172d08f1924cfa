import { type Page, type ApiError, pageLimits } from '@countersign/contract';
import { type InfiniteData, useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { CountSoFar } from '#messages/plural.ts';

/** A list that stays as it is until the person asks for new entries. */
export interface SteadyList<Entry> {
  readonly pages: UseInfiniteQueryResult<InfiniteData<Page<Entry>>, ApiError>;
  /** The time as of which the list is shown. */
  readonly nowMs: number;
  /** The entries since the list was loaded that it does not show. */
  readonly newCount: CountSoFar;
  readonly noteNew: (ids: readonly string[]) => void;
  /** Looks for entries whose events were lost. */
  readonly noteGap: () => void;
  readonly showNew: () => void;
}

/** The parameters of a query for the newest entries since a time. */
export interface SinceQuery {
  /** RFC 3339. */
  readonly from: string;
  readonly limit: number;
}

interface SteadyListParts<Entry> {
  /** Another key starts a new list. */
  readonly key: string;
  readonly load: (nowMs: number, cursor: string | undefined, signal: AbortSignal) => Promise<Page<Entry>>;
  /** Loads the newest entries since a time, as the query says. */
  readonly loadSince: (since: SinceQuery) => Promise<Page<Entry>>;
  /** The same function in each render. */
  readonly idOf: (entry: Entry) => string;
  /** The time of an entry, if the list begins with the newest one. Milliseconds since 1970. */
  readonly timeOf?: ((entry: Entry) => number) | undefined;
}

const newIdsMax = 1000;

/**
 * Loads a list page by page, as of the moment it was first loaded. New entries are counted but not shown, so that nothing
 * jumps under the pointer. Live events therefore do not invalidate its queries.
 */
export function useSteadyList<Entry>(parts: SteadyListParts<Entry>): SteadyList<Entry> {
  const { key, load, loadSince, idOf, timeOf } = parts;
  const [shown, setShown] = useState(() => startOf(key));
  const current = shown.key === key ? shown : startOf(key);
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
  const { data } = pages;
  // An event may be about an entry that is shown: it was stored before the list was loaded, and announced later.
  const newCount = useMemo(() => {
    const isShown = new Set(data?.pages.flatMap((page) => page.data.map(idOf)));
    return { count: current.newIds.filter((id) => !isShown.has(id)).length, isMore: current.isMore };
  }, [data, current, idOf]);
  const look = useGapLook(async () => {
    // What comes later would change nothing that is shown.
    if (current.isMore) return;
    const newest = data?.pages[0]?.data[0];
    // The newest entry has the service's time, and the page's clock may be wrong.
    const sinceMs = (newest && timeOf?.(newest)) ?? current.nowMs;
    const { limitMax } = pageLimits;
    const { data: found } = await loadSince({ from: new Date(sinceMs).toISOString(), limit: limitMax });
    // The list may have been loaded again meanwhile.
    const isSame = (now: Shown): boolean => now.key === key && now.nowMs === current.nowMs;
    setShown((now) => (isSame(now) ? withNew(now, found.map(idOf), found.length >= limitMax) : now));
  });
  return {
    pages,
    nowMs: current.nowMs,
    newCount,
    noteNew: (ids) => {
      if (ids.length > 0) setShown((now) => (now.key === key ? withNew(now, ids, false) : now));
    },
    noteGap: look,
    showNew: () => setShown(startOf(key)),
  };
}

/** Returns a function that looks for lost entries: one look at a time, and another one after it if there was another gap. */
function useGapLook(look: () => Promise<void>): () => void {
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  });
  const state = useRef({ isLooking: false, isAskedAgain: false });
  const begin = (): void => {
    if (state.current.isLooking) {
      state.current.isAskedAgain = true;
      return;
    }
    state.current = { isLooking: true, isAskedAgain: false };
    // The next gap, or the next loading of the list, makes up for one that fails.
    void latest
      .current()
      .catch(() => undefined)
      .finally(() => {
        const { isAskedAgain } = state.current;
        state.current = { isLooking: false, isAskedAgain: false };
        if (isAskedAgain) begin();
      });
  };
  return begin;
}

interface Shown {
  readonly key: string;
  readonly nowMs: number;
  readonly newIds: readonly string[];
  readonly isMore: boolean;
}

function startOf(key: string): Shown {
  return { key, nowMs: Date.now(), newIds: [], isMore: false };
}

function withNew(shown: Shown, ids: readonly string[], isMore: boolean): Shown {
  const newIds = [...new Set([...shown.newIds, ...ids])];
  return {
    ...shown,
    newIds: newIds.slice(0, newIdsMax),
    isMore: shown.isMore || isMore || newIds.length > newIdsMax,
  };
}
