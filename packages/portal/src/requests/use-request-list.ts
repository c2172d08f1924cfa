import type { RequestEntry } from '@countersign/contract';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { useAccountId } from '../api/current-account.ts';
import { useLiveEvents } from '../api/live-events-provider.tsx';
import { type SteadyList, useSteadyList } from '../lists/use-steady-list.ts';
import {
  defaultRequestFilters,
  fitsFilters,
  type RequestFilters,
  requestListQuery,
  requestTotalsQuery,
} from './request-filters.ts';
import { useLaterFindings } from './use-later-findings.ts';

/** A list of requests that can be watched live. */
export interface RequestList extends SteadyList<RequestEntry> {
  /** False if the order or the period leaves no place for new requests. */
  readonly canWatch: boolean;
  readonly isWatched: boolean;
  readonly setWatched: (isWatched: boolean) => void;
  /** The newest request that arrived while the list was watched, shown or not. */
  readonly newestId: string | undefined;
  /** The requests that arrived while the list was watched, followed by those that were loaded; none while it loads. */
  readonly entries: readonly RequestEntry[];
}

const pageSize = 25;
const requestIdOf = ({ requestId }: RequestEntry): string => requestId;
const receivedMs = ({ receivedAt }: RequestEntry): number => Date.parse(receivedAt);
const arrivedMax = 500;

/**
 * Loads the filtered requests. New ones are counted, or put on top while the list is watched. While it is held, they
 * are only counted, so that nothing moves.
 */
export function useRequestList(
  filters: RequestFilters,
  clientName: (clientId: string) => string | undefined,
  isHeld: boolean,
): RequestList {
  const key = `requests ${useAccountId()} ${JSON.stringify(filters)}`;
  const isNewestFirst = filters.sort === defaultRequestFilters.sort;
  const list = useSteadyList<RequestEntry>({
    key,
    load: (nowMs, cursor, signal) =>
      api.call('listRequests', {
        query: {
          ...requestListQuery(filters, nowMs),
          limit: pageSize,
          ...(cursor !== undefined && { cursor }),
        },
        signal,
      }),
    // Not in the order of the list: only the newest are asked for.
    loadSince: (since) =>
      api.call('listRequests', { query: { ...requestTotalsQuery(filters, Date.now()), ...since } }),
    idOf: requestIdOf,
    timeOf: isNewestFirst ? receivedMs : undefined,
  });
  const canWatch = isNewestFirst && filters.to === undefined;
  const [isAsked, setAsked] = useState(false);
  const isWatched = isAsked && canWatch;
  const { arrived, heldCount, add, release } = useArrived(`${key} ${list.nowMs}`, isHeld);
  useLiveEvents({
    onRequests: (entries) => {
      const fitting = entries.filter((entry) => fitsFilters(entry, filters, clientName));
      if (isWatched) add(fitting);
      else list.noteNew(fitting.map(requestIdOf));
    },
    onGap: () => {
      if (isWatched && !isHeld) list.showNew();
      else if (filters.to === undefined) list.noteGap();
    },
  });
  const told = useLaterFindings(arrived, filters);
  const loaded = list.pages.data?.pages.flatMap((page) => page.data) ?? [];
  const loadedIds = new Set(loaded.map(requestIdOf));
  const held = new Set(arrived.slice(0, heldCount).map(requestIdOf));
  return {
    ...list,
    newestId: arrived[0]?.requestId,
    entries: [...told.slice(heldCount).filter((entry) => !loadedIds.has(entry.requestId)), ...loaded],
    newCount: { ...list.newCount, count: list.newCount.count + held.size },
    showNew: () => {
      if (list.newCount.count > 0) list.showNew();
      else release();
    },
    canWatch,
    isWatched,
    setWatched: (next) => {
      setAsked(next);
      if (next) list.showNew();
    },
  };
}

interface Arrived {
  /** Newest first. */
  readonly arrived: readonly RequestEntry[];
  /** How many of them came while the list was held. */
  readonly heldCount: number;
  /** Oldest first. */
  readonly add: (entries: readonly RequestEntry[]) => void;
  /** Ends the hold of those that came so far. */
  readonly release: () => void;
}

/** Collects requests until the key changes. */
function useArrived(key: string, isHeld: boolean): Arrived {
  const [shown, setShown] = useState<{ readonly key: string; readonly entries: readonly RequestEntry[] }>({
    key,
    entries: [],
  });
  const arrived = shown.key === key ? shown.entries : [];
  const newestId = arrived[0]?.requestId;
  // The newest one when the hold began.
  const [hold, setHold] = useState({ isHeld, newestId });
  const current = hold.isHeld === isHeld ? hold : { isHeld, newestId };
  if (current !== hold) setHold(current);
  const heldCount = isHeld ? arrived.findIndex(({ requestId }) => requestId === current.newestId) : 0;
  return {
    arrived,
    // If that one is gone, all of them came later.
    heldCount: heldCount < 0 ? arrived.length : heldCount,
    add: (added) => {
      if (added.length === 0) return;
      setShown((before) => {
        const entries = before.key === key ? before.entries : [];
        return { key, entries: [...added.toReversed(), ...entries].slice(0, arrivedMax) };
      });
    },
    release: () => setHold({ isHeld, newestId }),
  };
}
