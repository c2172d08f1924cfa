import type { SecurityPolicy, SecurityPolicyChange } from '@countersign/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { useApiMutation } from '../../api/queries.ts';
import { type ConflictSaving, useConflictSaving } from '../../api/use-conflict-saving.ts';
import { useSession } from '../../session/session-context.ts';
import { useAccountId } from '../../api/current-account.ts';

/** Changes the policies in the state that was seen. */
export function usePolicySaving(
  entityTag: string | undefined,
  onSaved: () => void,
): ConflictSaving<SecurityPolicyChange, SecurityPolicy> {
  const accountId = useAccountId();
  const queryClient = useQueryClient();
  const { refresh } = useSession();
  const update = useApiMutation('updateSecurityPolicy');
  return useConflictSaving(entityTag, {
    async write(body, ifMatch) {
      await update.mutateAsync({ body, ifMatch });
      onSaved();
      // What the account demands stands in the state of the sign-in, too.
      void refresh();
    },
    async readTheirs() {
      const theirs = await api.callWithEntityTag('getSecurityPolicy');
      void queryClient.invalidateQueries({ queryKey: ['account', accountId] });
      return theirs;
    },
  });
}
