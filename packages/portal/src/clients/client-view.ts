import type { ApiError, Client, Key } from '@countersign/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useApiQuery, useEntityQuery } from '../api/queries.ts';
import { clientIdOfPath } from './client-path.ts';

/** A client, its keys, and its state for the next change. */
export interface ClientView {
  readonly client: Client;
  /** All keys, including ended ones, oldest first. Empty if the person may not see keys. */
  readonly keys: readonly Key[];
  /** For `If-Match`. */
  readonly entityTag: string | undefined;
}

const keysMax = 100;

export function useClientView(
  clientId: string,
  choices: { readonly maySeeKeys: boolean; readonly refetchIntervalMs?: number },
): { readonly view: ClientView | undefined; readonly query: UseQueryResult<unknown, ApiError> } {
  const { maySeeKeys, ...often } = choices;
  const path = { clientId };
  const client = useEntityQuery('getClient', { path }, { enabled: clientId !== '', ...often });
  const keys = useApiQuery(
    'listKeys',
    { path, query: { limit: keysMax } },
    { enabled: clientId !== '' && maySeeKeys, ...often },
  );
  const isKnown = client.data !== undefined && (keys.data !== undefined || !maySeeKeys);
  if (!isKnown) return { view: undefined, query: client.error === null && maySeeKeys ? keys : client };
  const view = {
    client: client.data.body,
    keys: keys.data?.data ?? client.data.body.keys,
    entityTag: client.data.entityTag,
  };
  return { view, query: client };
}

/**
 * Returns the client ID in the address. It reads the raw path, because routers decode it too early for IDs with slashes
 * or percent signs.
 */
export function useClientId(): string {
  // Re-renders when the address changes.
  useLocation();
  return clientIdOfPath(globalThis.location.pathname);
}
