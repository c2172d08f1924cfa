import { useApiQuery } from '../../api/queries.ts';
import { usePermission } from '../../session/session-context.ts';

const clientsMax = 100;

/** The names of the account's clients, as far as one page of them has them; ids stand in for the others. */
export function useClientNames(): (clientId: string) => string | undefined {
  const { data } = useApiQuery(
    'listClients',
    { query: { limit: clientsMax } },
    { enabled: usePermission('clients:read') },
  );
  const names = new Map(data?.data.map(({ clientId, name }) => [clientId, name]));
  return (clientId) => names.get(clientId);
}
