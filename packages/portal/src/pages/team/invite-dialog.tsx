import type { Invitation } from '@countersign/contract';
import { Modal, Stack, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useApiMutation } from '../../api/queries.ts';
import { DialogButtons } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useForm } from '../../components/form.tsx';
import { InvitationLink, isEmail } from '../../components/invitation-link.tsx';
import { notify } from '../../components/notify.ts';
import { team as t } from '#messages/team.ts';
import { useSession } from '../../session/session-context.ts';
import { RoleChoice } from './member-dialogs.tsx';
import { type MemberRoleChoice, useGrantableRoles } from './use-team.ts';

interface InviteDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Invites a person by email. If the service sends no mail, shows the link to hand over. */
export function InviteDialog({ isOpen, onClose }: InviteDialogProps): ReactElement {
  const [invitation, setInvitation] = useState<Invitation>();
  const close = (): void => {
    setInvitation(undefined);
    onClose();
  };
  const isDone = (made: Invitation): void => {
    if (made.link !== undefined) return setInvitation(made);
    notify.success(t.invitedByMail(made.email));
    close();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={invitation ? t.linkTitle : t.inviteTitle} size="lg">
      {invitation ? (
        <InvitationLink invitation={invitation} onDone={close} />
      ) : (
        isOpen && <InviteForm onDone={isDone} onCancel={close} />
      )}
    </Modal>
  );
}

interface InviteFormProps {
  readonly onDone: (invitation: Invitation) => void;
  readonly onCancel: () => void;
}

function InviteForm({ onDone, onCancel }: InviteFormProps): ReactElement {
  const { features } = useSession();
  const roles = useGrantableRoles();
  const invite = useApiMutation('inviteMember');
  const form = useForm<{ readonly email: string; readonly role: string }>({
    initialValues: { email: '', role: defaultRole(roles) },
    validate: ({ email }) => ({ email: isEmail(email.trim()) ? undefined : t.emailInvalid }),
    place: () => undefined,
  });
  const submit = form.submit(async (values) =>
    onDone(await invite.mutateAsync({ body: { ...values, email: values.email.trim() } })),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <TextInput
          {...form.field('email')}
          type="email"
          label={t.email}
          autoComplete="off"
          data-autofocus
          required
        />
        <RoleChoice
          label={t.roleOfInvited}
          roles={roles}
          value={form.values.role}
          onChange={(next) => form.set('role', next)}
        />
        <ErrorNotice error={form.failure} />
        <DialogButtons
          label={features.isMailConfigured ? t.sendInvitation : t.makeInvitation}
          onCancel={onCancel}
          isBusy={form.isBusy}
        />
      </Stack>
    </form>
  );
}

function defaultRole(roles: readonly MemberRoleChoice[]): string {
  const usual = ['developer', 'viewer'].find((name) => roles.some((role) => role.name === name));
  return usual ?? roles[0]?.name ?? 'viewer';
}
