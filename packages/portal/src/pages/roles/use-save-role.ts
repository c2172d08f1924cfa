import type { Role } from '@countersign/contract';
import { useState } from 'react';
import { api, type Entity } from '../../api/api.ts';
import { isApiError } from '../../api/api-error.ts';
import { useApiMutation } from '../../api/queries.ts';
import { draftOf, type RoleDraft } from './role-draft.ts';

/** The saving of a role, with what others made of it meanwhile. */
export interface RoleSaving {
  readonly save: (draft: RoleDraft) => Promise<void>;
  readonly saveOverTheirs: (draft: RoleDraft) => Promise<void>;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** What is there now, when somebody else was faster. */
  readonly theirs: RoleDraft | undefined;
  readonly dismissConflict: () => void;
}

/** Adds a role, or changes one in the state that was seen. */
export function useSaveRole(
  role: Role | undefined,
  entityTag: string | undefined,
  onSaved: (saved: Role) => void,
): RoleSaving {
  const add = useApiMutation('addRole');
  const update = useApiMutation('updateRole');
  const [error, setError] = useState<unknown>();
  const [current, setCurrent] = useState<Entity<Role>>();
  const write = async (draft: RoleDraft, ifMatch: string | undefined): Promise<void> => {
    const body = { name: draft.name.trim(), summary: draft.summary.trim(), permissions: draft.permissions };
    setError(undefined);
    try {
      const saved = role
        ? await update.mutateAsync({ path: { roleId: role.roleId }, body, ifMatch: ifMatch ?? '*' })
        : await add.mutateAsync({ body });
      setCurrent(undefined);
      onSaved(saved);
    } catch (failure) {
      if (role && isApiError(failure, 'precondition_failed')) await readTheirs(role.roleId);
      else if (!isApiError(failure, 'cancelled')) setError(failure);
    }
  };
  const readTheirs = async (roleId: string): Promise<void> => {
    try {
      setCurrent(await api.callWithEntityTag('getRole', { path: { roleId } }));
    } catch (failure) {
      setError(failure);
    }
  };
  return {
    save: (draft) => write(draft, entityTag),
    saveOverTheirs: (draft) => write(draft, current?.entityTag),
    isBusy: add.isPending || update.isPending,
    error,
    theirs: current && draftOf(current.body),
    dismissConflict: () => setCurrent(undefined),
  };
}
