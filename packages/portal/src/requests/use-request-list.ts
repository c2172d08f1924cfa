import type { RequestEntry } from '@countersign/contract';
import { useEffect, useRef, useState } from 'react';
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

/** A list of requests that can be watched live. */
export interface RequestList extends SteadyList<RequestEntry> {
  /** False if the order or the period leaves no place for new requests. */
  readonly canWatch: boolean;
  readonly isWatched: boolean;
  readonly setWatched: (isWatched: boolean) => void;
  /** The requests that arrived while the list was watched, newest first. */
  readonly arrived: readonly RequestEntry[];
}

const pageSize = 25;
const requestIdOf = ({ requestId }: RequestEntry): string => requestId;
const receivedMs = ({ receivedAt }: RequestEntry): number => Date.parse(receivedAt);
/** The list is redrawn at most this often. */
const togetherMs = 400;
const arrivedMax = 500;

/** Loads the filtered requests. New ones are counted, or put on top while the list is watched. */
export function useRequestList(
  filters: RequestFilters,
  clientName: (clientId: string) => string | undefined,
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
  const { arrived, add } = useArrived(`${key} ${list.nowMs}`);
  useLiveEvents(
    (entry) => {
      if (!fitsFilters(entry, filters, clientName)) return;
      if (isWatched) add(entry);
      else list.noteNew(entry.requestId);
    },
    undefined,
    () => {
      if (isWatched) list.showNew();
      else if (filters.to === undefined) list.noteGap();
    },
  );
  return {
    ...list,
    arrived,
    canWatch,
    isWatched,
    setWatched: (next) => {
      setAsked(next);
      if (next) list.showNew();
    },
  };
}

/** Collects requests, newest first, until the key changes. */
function useArrived(key: string): {
  readonly arrived: readonly RequestEntry[];
  readonly add: (entry: RequestEntry) => void;
} {
  const [shown, setShown] = useState<{ readonly key: string; readonly entries: readonly RequestEntry[] }>({
    key,
    entries: [],
  });
  const waiting = useRef<RequestEntry[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    waiting.current = [];
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [key]);
  const flush = (): void => {
    timer.current = undefined;
    const added = waiting.current.splice(0).toReversed();
    setShown((before) => {
      const entries = before.key === key ? before.entries : [];
      return { key, entries: [...added, ...entries].slice(0, arrivedMax) };
    });
  };
  return {
    arrived: shown.key === key ? shown.entries : [],
    add: (entry) => {
      waiting.current.push(entry);
      timer.current ??= setTimeout(flush, togetherMs);
    },
  };
}
