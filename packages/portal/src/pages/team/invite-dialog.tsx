import type { Invitation, MemberRole } from '@countersign/contract';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import { isApiError } from '../../api/api-error.ts';
import { useApiMutation } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { notify } from '../../components/notify.ts';
import { useMessages } from '../../messages/messages.ts';
import { useSession } from '../../session/session-context.ts';
import { RoleChoice } from './role-choice.tsx';
import { useGrantableRoles } from './use-team.ts';
import { CopyableText } from '../../components/copyable-text.tsx';
import { Notice } from '../../components/notice.tsx';
import classes from './team.module.css';

/** Invites somebody by email; where no mail is sent, it shows the link to hand over. */
export function InviteDialog({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): ReactElement {
  const t = useMessages('team');
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

function InviteForm({
  onDone,
  onCancel,
}: {
  readonly onDone: (invitation: Invitation) => void;
  readonly onCancel: () => void;
}): ReactElement {
  const t = useMessages('team');
  const components = useMessages('components');
  const { features } = useSession();
  const roles = useGrantableRoles();
  const invite = useApiMutation('inviteMember');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<MemberRole>(roles.includes('developer') ? 'developer' : 'viewer');
  const [isTried, setIsTried] = useState(false);
  const isValid = isEmail(email.trim());
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setIsTried(true);
    if (!isValid || invite.isPending) return;
    try {
      onDone(await invite.mutateAsync({ body: { email: email.trim(), role } }));
    } catch {
      // The form shows it.
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="lg">
        <TextInput
          type="email"
          label={t.email}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={isTried && !isValid ? t.emailInvalid : undefined}
          autoComplete="off"
          data-autofocus
          required
        />
        <RoleChoice label={t.roleOfInvited} roles={roles} value={role} onChange={setRole} />
        {invite.error && !isApiError(invite.error, 'cancelled') && <ErrorNotice error={invite.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            {components.cancel}
          </Button>
          <Button type="submit" loading={invite.isPending}>
            {features.isMailConfigured ? t.sendInvitation : t.makeInvitation}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Whether it has the form of one address; the service decides. */
function isEmail(text: string): boolean {
  return /^[^\s@,;<>]{1,64}@[^\s@,;<>]+\.[^\s@,;<>]{2,}$/.test(text) && text.length <= 254;
}

/** The link of an invitation, to be handed over where no mail is sent. */
export function InvitationLink({
  invitation: { email, link = '' },
  onDone,
}: {
  readonly invitation: Invitation;
  readonly onDone: () => void;
}): ReactElement {
  const t = useMessages('team');
  return (
    <Stack gap="md">
      <Notice tone="warning">{t.linkText(email)}</Notice>
      <div className={classes['link']}>
        <CopyableText value={link} label={t.link} />
      </div>
      <Group justify="flex-end">
        <Button onClick={onDone}>{t.done}</Button>
      </Group>
    </Stack>
  );
}
