import type { Account } from '@countersign/contract';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import type { ApiError } from '../../api/api-error.ts';
import { queryKeyOf } from '../../api/queries.ts';
import { useAccountId } from '../../session/session-context.ts';

/** The accounts of the service, as many as are looked through. */
export interface AllAccounts {
  readonly accounts: readonly Account[];
  readonly isComplete: boolean;
}

const pagesMax = 30;

/** All accounts, so that they can be searched while somebody types. */
export function useAllAccounts(): UseQueryResult<AllAccounts, ApiError> {
  const accountId = useAccountId();
  return useQuery<AllAccounts, ApiError>({
    queryKey: [...queryKeyOf(accountId, 'listAccounts'), 'all'],
    queryFn: async ({ signal }) => {
      const accounts: Account[] = [];
      let cursor: string | null | undefined;
      for (let page = 0; page < pagesMax && cursor !== null; page++) {
        const query = { limit: 100, ...(cursor !== undefined && { cursor }) };
        const answer = await api.call('listAccounts', { query, signal });
        accounts.push(...answer.data);
        cursor = answer.nextCursor;
      }
      return { accounts, isComplete: cursor === null };
    },
  });
}

/** Those whose name contains a text, in any case and however its accents are written, or whose id begins with it. */
export function searchAccounts(accounts: readonly Account[], text: string): readonly Account[] {
  const wanted = plain(text);
  if (wanted === '') return accounts;
  return accounts.filter(
    ({ name, accountId }) => plain(name).includes(wanted) || accountId.startsWith(text.trim()),
  );
}

function plain(text: string): string {
  return text.trim().normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
