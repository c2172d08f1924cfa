import type { SecurityPolicy, SecurityPolicyChange } from '@countersign/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Entity } from '../../api/api.ts';
import { isApiError } from '../../api/api-error.ts';
import { useApiMutation } from '../../api/queries.ts';
import { useAccountId, useSession } from '../../session/session-context.ts';

/** The saving of the policies, with what others made of them meanwhile. */
export interface PolicySaving {
  readonly save: (change: SecurityPolicyChange) => Promise<void>;
  readonly saveOverTheirs: (change: SecurityPolicyChange) => Promise<void>;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** What is there now, when somebody else was faster. */
  readonly theirs: SecurityPolicy | undefined;
  readonly dismissConflict: () => void;
}

/** Changes the policies in the state that was seen. */
export function usePolicySaving(entityTag: string | undefined, onSaved: () => void): PolicySaving {
  const accountId = useAccountId();
  const queryClient = useQueryClient();
  const { refresh } = useSession();
  const update = useApiMutation('updateSecurityPolicy');
  const [error, setError] = useState<unknown>();
  const [current, setCurrent] = useState<Entity<SecurityPolicy>>();
  const write = async (body: SecurityPolicyChange, ifMatch: string | undefined): Promise<void> => {
    setError(undefined);
    try {
      await update.mutateAsync({ body, ifMatch: ifMatch ?? '*' });
      setCurrent(undefined);
      onSaved();
      // What the account demands stands in the state of the sign-in, too.
      void refresh();
    } catch (failure) {
      if (isApiError(failure, 'precondition_failed')) await readTheirs();
      else if (!isApiError(failure, 'cancelled')) setError(failure);
    }
  };
  const readTheirs = async (): Promise<void> => {
    try {
      setCurrent(await api.callWithEntityTag('getSecurityPolicy'));
      await queryClient.invalidateQueries({ queryKey: ['account', accountId] });
    } catch (failure) {
      setError(failure);
    }
  };
  return {
    save: (change) => write(change, entityTag),
    saveOverTheirs: (change) => write(change, current?.entityTag),
    isBusy: update.isPending,
    error,
    theirs: current?.body,
    dismissConflict: () => setCurrent(undefined),
  };
}
