import type { Account } from '@countersign/contract';
import { api } from '../../api/api.ts';
import { useApiMutation } from '../../api/queries.ts';
import { type ConflictSaving, useConflictSaving } from '../../api/use-conflict-saving.ts';

/** An account while it is written. */
export interface AccountDraft {
  readonly name: string;
  readonly keyAgeDaysMax: number | null;
}

/** Adds an account, or changes one in the state that was seen. */
export function useSaveAccount(
  account: Account | undefined,
  entityTag: string | undefined,
  onSaved: (saved: Account) => void,
): ConflictSaving<AccountDraft, Account> {
  const add = useApiMutation('addAccount');
  const update = useApiMutation('updateAccount');
  const path = account && { accountId: account.accountId };
  return useConflictSaving(entityTag, {
    write: async (body, ifMatch) =>
      onSaved(path ? await update.mutateAsync({ path, body, ifMatch }) : await add.mutateAsync({ body })),
    readTheirs: path && (() => api.callWithEntityTag('getAccount', { path })),
  });
}
