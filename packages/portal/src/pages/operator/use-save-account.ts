import type { Account } from '@countersign/contract';
import { useState } from 'react';
import { api, type Entity } from '../../api/api.ts';
import { isApiError } from '../../api/api-error.ts';
import { useApiMutation } from '../../api/queries.ts';

/** An account while it is written. */
export interface AccountDraft {
  readonly name: string;
  readonly keyAgeDaysMax: number | null;
}

/** The saving of an account, with what others made of it meanwhile. */
export interface AccountSaving {
  readonly save: (draft: AccountDraft) => Promise<void>;
  readonly saveOverTheirs: (draft: AccountDraft) => Promise<void>;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** What is there now, when somebody else was faster. */
  readonly theirs: AccountDraft | undefined;
  readonly dismissConflict: () => void;
}

/** Adds an account, or changes one in the state that was seen. */
export function useSaveAccount(
  account: Account | undefined,
  entityTag: string | undefined,
  onSaved: (saved: Account) => void,
): AccountSaving {
  const add = useApiMutation('addAccount');
  const update = useApiMutation('updateAccount');
  const [error, setError] = useState<unknown>();
  const [current, setCurrent] = useState<Entity<Account>>();
  const write = async (body: AccountDraft, ifMatch: string | undefined): Promise<void> => {
    setError(undefined);
    try {
      const saved = account
        ? await update.mutateAsync({ path: { accountId: account.accountId }, body, ifMatch: ifMatch ?? '*' })
        : await add.mutateAsync({ body });
      setCurrent(undefined);
      onSaved(saved);
    } catch (failure) {
      if (account && isApiError(failure, 'precondition_failed')) await readTheirs(account.accountId);
      else if (!isApiError(failure, 'cancelled')) setError(failure);
    }
  };
  const readTheirs = async (accountId: string): Promise<void> => {
    try {
      setCurrent(await api.callWithEntityTag('getAccount', { path: { accountId } }));
    } catch (failure) {
      setError(failure);
    }
  };
  return {
    save: (draft) => write(draft, entityTag),
    saveOverTheirs: (draft) => write(draft, current?.entityTag),
    isBusy: add.isPending || update.isPending,
    error,
    theirs: current?.body,
    dismissConflict: () => setCurrent(undefined),
  };
}
