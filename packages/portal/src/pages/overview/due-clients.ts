import type { Client } from '@countersign/contract';
import { useApiQuery } from '../../api/queries.ts';
import type { QueryLike } from '../../components/query-state.tsx';

const shownMax = 5;

/** Clients with keys that are due for rotation. */
export interface DueClients {
  /** Those with overdue keys first. */
  readonly clients: readonly Client[];
  /** How many of them have overdue keys. */
  readonly overdue: number;
  readonly hasMore: boolean;
}

/** Loads the first few clients with keys that are due for rotation. */
export function useDueClients(): QueryLike<DueClients> {
  const overdue = useApiQuery('listClients', { query: { rotation: 'overdue', limit: shownMax } });
  const due = useApiQuery('listClients', { query: { rotation: 'due', limit: shownMax } });
  const refetch = (): unknown => Promise.all([overdue.refetch(), due.refetch()]);
  const error = overdue.error ?? due.error;
  if (overdue.data === undefined || due.data === undefined) return { data: undefined, error, refetch };
  // A client with keys of both kinds is in both lists.
  const late = new Set(overdue.data.data.map(({ clientId }) => clientId));
  const all = [...overdue.data.data, ...due.data.data.filter(({ clientId }) => !late.has(clientId))];
  const isCut = overdue.data.nextCursor !== null || due.data.nextCursor !== null;
  const data = {
    clients: all.slice(0, shownMax),
    overdue: late.size,
    hasMore: all.length > shownMax || isCut,
  };
  return { data, error, refetch };
}

/** Returns the path of the list of these clients: those with overdue keys if there are any. */
export function duePath(due: DueClients | undefined): string {
  return `/integrations/api-keys?rotation=${due === undefined || due.overdue > 0 ? 'overdue' : 'due'}`;
}
