import type { Member } from '@countersign/contract';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { useApiMutation } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notify } from '../../components/notify.ts';
import { useMessages } from '../../messages/messages.ts';
import { usePerson, useSession } from '../../session/session-context.ts';

/** Takes a member out of the account, or lets the person itself leave; closed without a member. */
export function RemoveMemberDialog({
  member,
  onClose,
}: {
  readonly member: Member | undefined;
  readonly onClose: () => void;
}): ReactElement {
  const t = useMessages('team');
  const me = usePerson();
  const { refresh } = useSession();
  const [, navigate] = useLocation();
  const remove = useApiMutation('removeMember');
  const name = member?.name ?? '';
  const isMyself = member?.userId === me.userId;
  const run = async (): Promise<void> => {
    if (member === undefined) return;
    await remove.mutateAsync({ path: { userId: member.userId } });
    notify.success(isMyself ? t.left : t.removed(name));
    if (!isMyself) return;
    await refresh();
    navigate('/');
  };
  return (
    <ConfirmDialog
      opened={member !== undefined}
      onClose={onClose}
      title={isMyself ? t.leaveTitle : t.removeTitle(name)}
      confirmLabel={isMyself ? t.leave : t.remove}
      isDangerous
      onConfirm={run}
    >
      {isMyself ? t.leaveText : t.removeText(name)}
    </ConfirmDialog>
  );
}
