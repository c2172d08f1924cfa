import type { RequestEntry } from '@countersign/contract';
import { useState } from 'react';
import { useLiveEvents } from '../../api/live-events-provider.tsx';
import { useApiQuery } from '../../api/queries.ts';

/** The stream tells at once; this finds what it missed. */
const refetchMs = 5000;

/**
 * The request of a client to show while its first one is waited for: the first that was accepted, else the latest that was
 * refused; undefined while there is none.
 */
export function useFirstRequest(clientId: string): RequestEntry | undefined {
  const [told, setTold] = useState<RequestEntry>();
  const isDone = told?.outcome === 'accepted';
  const accepted = useApiQuery(
    'listRequests',
    { query: { clientId, outcome: 'accepted', limit: 1 } },
    isDone ? {} : { refetchIntervalMs: refetchMs },
  );
  const latest = useApiQuery(
    'listRequests',
    { query: { clientId, limit: 1 } },
    isDone ? {} : { refetchIntervalMs: refetchMs },
  );
  useLiveEvents((entry) => {
    if (entry.clientId === clientId && !isDone) setTold(entry);
  });
  const first = isDone ? told : accepted.data?.data[0];
  return first ?? newer(told, latest.data?.data[0]);
}

function newer(one: RequestEntry | undefined, other: RequestEntry | undefined): RequestEntry | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.receivedAt >= other.receivedAt ? one : other;
}
