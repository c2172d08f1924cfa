import type { ApiError, Role, RoleHolders } from '@countersign/contract';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { useAccountId } from '../../api/current-account.ts';
import { queryKeyOf } from '../../api/queries.ts';

const pagesMax = 20;

/** Returns all roles of the account's clients, or its own roles for members, beyond the first page. */
export function useAllRoles(
  holders: RoleHolders = 'clients',
  isEnabled = true,
): UseQueryResult<readonly Role[], ApiError> {
  const accountId = useAccountId();
  return useQuery<readonly Role[], ApiError>({
    queryKey: [...queryKeyOf(accountId, 'listRoles'), 'all', holders],
    enabled: isEnabled,
    queryFn: async ({ signal }) => {
      const roles: Role[] = [];
      let cursor: string | null | undefined;
      for (let page = 0; page < pagesMax && cursor !== null; page++) {
        const query = { limit: 100, holders, ...(cursor !== undefined && { cursor }) };
        const answer = await api.call('listRoles', { query, signal });
        roles.push(...answer.data);
        cursor = answer.nextCursor;
      }
      return roles;
    },
  });
}
