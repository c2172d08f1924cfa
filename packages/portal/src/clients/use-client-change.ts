import { useQueryClient } from '@tanstack/react-query';
import { useAccountId } from '../api/current-account.ts';
import { notify } from '../components/notify.ts';

type ClientChange = (act: () => Promise<unknown>, said: string) => Promise<void>;

/**
 * Returns a function that changes a client, reloads the account's data and reports success. It reloads after
 * a failure too, in case another person changed it first, and rejects with the API's error.
 */
export function useClientChange(): ClientChange {
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  return async (act, said) => {
    try {
      await act();
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    }
    notify.success(said);
  };
}
