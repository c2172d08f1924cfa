import type { Client, Key, ApiError } from '@countersign/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { useApiQuery, useEntityQuery } from '../api/queries.ts';
import { useLocation } from 'wouter';
import { clientIdOfPath } from './client-path.ts';

/** A client as the page shows it: with all its keys, and the state that changes have to name. */
export interface ClientView {
  readonly client: Client;
  /** All keys, oldest first, also those that have ended; none when the person may not see keys. */
  readonly keys: readonly Key[];
  /** For `If-Match`: a change that was decided on an older state is refused. */
  readonly entityTag: string | undefined;
}

const keysMax = 100;

/** Reads a client with its keys, and keeps them up to date with what happens. */
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
 * The clientId in the address, as the account has it. It is read from the raw path: routers decode it too early for a
 * clientId that holds slashes or percent signs.
 */
export function useClientId(): string {
  // For a new look whenever the address changes.
  useLocation();
  return clientIdOfPath(globalThis.location.pathname);
}
