import { useMemo } from 'react';
import { useApiQuery } from '../api/queries.ts';
import { usePermission } from '../session/session-context.ts';

/** Returns a lookup of client names by ID. It knows the first 100 clients of the account. */
export function useClientNames(): (clientId: string) => string | undefined {
  const isAllowed = usePermission('clients:read');
  const { data } = useApiQuery('listClients', { query: { limit: 100 } }, { enabled: isAllowed });
  return useMemo(() => {
    const names = new Map(data?.data.map(({ clientId, name }) => [clientId, name]));
    return (clientId) => names.get(clientId);
  }, [data]);
}
