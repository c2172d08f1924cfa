import type { Role } from '@countersign/contract';
import { api } from '../../api/api.ts';
import { useApiMutation } from '../../api/queries.ts';
import { type ConflictSaving, useConflictSaving } from '../../api/use-conflict-saving.ts';
import { draftOf, type RoleDraft } from './role-draft.ts';

/** Adds a role, or changes one in the state that was seen. */
export function useSaveRole(
  role: Role | undefined,
  entityTag: string | undefined,
  onSaved: (saved: Role) => void,
): ConflictSaving<RoleDraft, RoleDraft> {
  const add = useApiMutation('addRole');
  const update = useApiMutation('updateRole');
  const path = role && { roleId: role.roleId };
  const saving = useConflictSaving<RoleDraft, Role>(entityTag, {
    async write({ name, summary, permissions }, ifMatch) {
      const body = { name: name.trim(), summary: summary.trim(), permissions };
      onSaved(path ? await update.mutateAsync({ path, body, ifMatch }) : await add.mutateAsync({ body }));
    },
    readTheirs: path && (() => api.callWithEntityTag('getRole', { path })),
  });
  return { ...saving, theirs: saving.theirs && draftOf(saving.theirs) };
}
