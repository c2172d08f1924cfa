import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { type LiveEvents, type LiveListener, openLiveEvents } from './live-events.ts';

const LiveEventsContext = createContext<LiveEvents | undefined>(undefined);

/** Requests may arrive by the thousand: refetch at most this often. */
const requestsTogetherMs = 2500;

/** Operations whose responses change with every request. */
const changedByRequests = new Set<unknown>([
  'listRequests',
  'listRequestFailures',
  'listRefusedAddresses',
  'getRequestStatistics',
  'getRequestAnalytics',
  'getChecklist',
  'listClients',
  'getClient',
  'listKeys',
]);

interface LiveEventsProviderProps {
  /** Undefined if the person may not see the account's events. */
  readonly accountId: string | undefined;
  readonly children: ReactNode;
}

/** Opens an account's event stream and refetches the queries that its events make stale. */
export function LiveEventsProvider({ accountId, children }: LiveEventsProviderProps): ReactElement {
  const queryClient = useQueryClient();
  const [events, setEvents] = useState<LiveEvents>();
  useEffect(() => {
    if (accountId === undefined) return undefined;
    const opened = openLiveEvents(accountId);
    const stop = followEvents(opened, accountId, queryClient);
    setEvents(opened);
    return () => {
      stop();
      opened.close();
      setEvents(undefined);
    };
  }, [accountId, queryClient]);
  return <LiveEventsContext value={events}>{children}</LiveEventsContext>;
}

/** Subscribes to the current account's requests and changes. */
export function useLiveEvents(listener: LiveListener): void {
  const events = useContext(LiveEventsContext);
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(
    () =>
      events?.listen({
        onRequests: (entries) => latest.current.onRequests?.(entries),
        onChanges: (changes) => latest.current.onChanges?.(changes),
        onGap: () => latest.current.onGap?.(),
      }),
    [events],
  );
}

function followEvents(events: LiveEvents, accountId: string, queryClient: QueryClient): () => void {
  const queryKey = ['account', accountId];
  const readAll = (): void => void queryClient.invalidateQueries({ queryKey });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = events.listen({
    onChanges: readAll,
    onGap: readAll,
    onRequests: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queryClient.invalidateQueries({
          queryKey,
          predicate: (query) => changedByRequests.has(query.queryKey[2]),
        });
      }, requestsTogetherMs);
    },
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}
