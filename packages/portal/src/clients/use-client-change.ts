import { useQueryClient } from '@tanstack/react-query';
import { isApiError } from '../api/api-error.ts';
import { notify } from '../components/notify.ts';
import { useAccountId } from '../api/current-account.ts';

/** Makes a change, and tells when it is done. */
export type ClientChangeMaker = (act: () => Promise<unknown>, said: string) => Promise<void>;

/**
 * Makes changes of a client for dialogs: afterwards everything that is known of the account is read anew, also when
 * somebody else was faster (412), so that what is behind the dialog is what is there now.
 *
 * The function rejects with what the API refused.
 */
export function useClientChange(): ClientChangeMaker {
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  return async (act, said) => {
    const readAnew = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    try {
      await act();
    } catch (failure) {
      if (isApiError(failure, 'precondition_failed')) await readAnew();
      throw failure;
    }
    await readAnew();
    notify.success(said);
  };
}
