import type { Role } from '@countersign/contract';
import type { ReactElement } from 'react';
import { api } from '../../api/api.ts';
import { useApiMutation } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notify } from '../../components/notify.ts';
import { useMessages } from '../../messages/messages.ts';

/** Removes a role that no client has; closed without a role. */
export function RemoveRoleDialog({
  role,
  onClose,
}: {
  readonly role: Role | undefined;
  readonly onClose: () => void;
}): ReactElement {
  const t = useMessages('roles');
  const remove = useApiMutation('removeRole');
  const run = async (): Promise<void> => {
    if (role === undefined) return;
    const path = { roleId: role.roleId };
    const { entityTag } = await api.callWithEntityTag('getRole', { path });
    await remove.mutateAsync({ path, ifMatch: entityTag ?? '*' });
    notify.success(t.removed(role.name));
  };
  return (
    <ConfirmDialog
      opened={role !== undefined}
      onClose={onClose}
      title={t.removeTitle(role?.name ?? '')}
      confirmLabel={t.remove}
      isDangerous
      onConfirm={run}
    >
      {t.removeText}
    </ConfirmDialog>
  );
}
