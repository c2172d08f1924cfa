import type { Member } from '@countersign/contract';
import { Radio, Stack } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { useApiMutation } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { memberRoleName } from '../../components/member-role-name.ts';
import { notify } from '../../components/notify.ts';
import { team as t } from '#messages/team.ts';
import { usePerson, useSession } from '../../session/session-context.ts';
import { type MemberRoleChoice, useGrantableRoles } from './use-team.ts';

interface MemberDialogProps {
  /** Undefined: the dialog is closed. */
  readonly member: Member | undefined;
  readonly onClose: () => void;
}

export function ChangeRoleDialog({ member, onClose }: MemberDialogProps): ReactElement {
  const me = usePerson();
  const { refresh } = useSession();
  const change = useApiMutation('changeMember');
  const roles = useGrantableRoles();
  const [chosen, setChosen] = useState<{ readonly userId: string; readonly role: string }>();
  const role = chosen !== undefined && chosen.userId === member?.userId ? chosen.role : member?.role;
  const save = async (): Promise<void> => {
    if (member === undefined || role === undefined || role === member.role) return;
    await change.mutateAsync({ path: { userId: member.userId }, body: { role } });
    notify.success(t.roleChanged(member.name, memberRoleName(t.roleNames, role)));
    // The person's own permissions have changed.
    if (member.userId === me.userId) await refresh();
  };
  return (
    <ConfirmDialog
      opened={member !== undefined}
      onClose={onClose}
      title={t.changeRoleOf(member?.name ?? '')}
      confirmLabel={t.save}
      onConfirm={save}
    >
      {member && role && (
        <RoleChoice
          label={t.role}
          roles={roles}
          value={role}
          onChange={(next) => setChosen({ userId: member.userId, role: next })}
        />
      )}
    </ConfirmDialog>
  );
}

/** Removes a member, or lets the person leave. */
export function RemoveMemberDialog({ member, onClose }: MemberDialogProps): ReactElement {
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

interface RoleChoiceProps {
  readonly label: string;
  readonly roles: readonly MemberRoleChoice[];
  readonly value: string;
  readonly onChange: (role: string) => void;
}

export function RoleChoice({ label, roles, value, onChange }: RoleChoiceProps): ReactElement {
  return (
    <Radio.Group label={label} value={value} onChange={onChange}>
      <Stack gap="sm" mt="xs">
        {roles.map(({ name, title, summary }) => (
          <Radio key={name} value={name} label={title} description={summary} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
