import type { Invitation } from '@countersign/contract';
import { ActionIcon, Button, Menu, Modal } from '@mantine/core';
import { Ellipsis, Link2, Send, Trash2 } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useApiMutation } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { memberRoleName } from '../../components/member-role-name.ts';
import { StatusBadge } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { useNow } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { shortTime } from '../../components/time-words.ts';
import { InvitationLink } from '../../components/invitation-link.tsx';
import { components } from '#messages/components.ts';
import { team as t } from '#messages/team.ts';
import { usePermission, useSession } from '../../session/session-context.ts';
import classes from './team.module.css';
import { useInvitations } from './use-team.ts';

/** Pending invitations. */
export function InvitationSection(): ReactElement | null {
  const query = useInvitations();
  const [shown, setShown] = useState<Invitation>();
  const [asked, setAsked] = useState<Invitation>();
  const invitations = query.data?.pages.flatMap((page) => page.data) ?? [];
  const columns = useColumns(setShown, setAsked);
  const close = (): void => setShown(undefined);
  if (invitations.length === 0 && shown === undefined && asked === undefined) return null;
  return (
    <Section title={t.invitations} description={t.invitationsText} isFlush isPlain>
      <DataTable
        label={t.invitations}
        columns={columns}
        rows={invitations}
        rowKey={({ invitationId }) => invitationId}
      />
      {query.hasNextPage && (
        <div className={classes['more']}>
          <MoreButton isBusy={query.isFetchingNextPage} onMore={() => void query.fetchNextPage()} />
        </div>
      )}
      <RevokeDialog invitation={asked} onClose={() => setAsked(undefined)} />
      <Modal opened={shown !== undefined} onClose={close} title={t.linkTitle} size="lg">
        {shown && <InvitationLink invitation={shown} onDone={close} />}
      </Modal>
    </Section>
  );
}

interface MoreButtonProps {
  readonly isBusy: boolean;
  readonly onMore: () => void;
}

function MoreButton({ isBusy, onMore }: MoreButtonProps): ReactElement {
  return (
    <Button variant="default" loading={isBusy} onClick={onMore}>
      {components.loadMore}
    </Button>
  );
}

function useColumns(
  onLink: (invitation: Invitation) => void,
  onRevoke: (invitation: Invitation) => void,
): readonly DataColumn<Invitation>[] {
  const nowMs = useNow();
  const mayChange = usePermission('members:write');
  const columns: DataColumn<Invitation>[] = [
    {
      id: 'email',
      header: t.email,
      isRowHeader: true,
      cell: ({ email }) => <bdi>{email}</bdi>,
    },
    { id: 'role', header: t.role, cell: ({ role }) => memberRoleName(t.roleNames, role) },
    { id: 'invited-by', header: t.invitedBy, cell: ({ invitedBy }) => <bdi>{invitedBy.name}</bdi> },
    {
      id: 'expires',
      header: t.expires,
      cell: ({ expiresAt }) =>
        Date.parse(expiresAt) <= nowMs ? (
          <StatusBadge tone="warning">{t.expired}</StatusBadge>
        ) : (
          <time dateTime={expiresAt}>{shortTime(expiresAt)}</time>
        ),
    },
  ];
  if (!mayChange) return columns;
  return [
    ...columns,
    {
      id: 'actions',
      header: t.menu,
      isHeaderHidden: true,
      align: 'right',
      cell: (invitation) => <InvitationActions invitation={invitation} onLink={onLink} onRevoke={onRevoke} />,
    },
  ];
}

interface InvitationActionsProps {
  readonly invitation: Invitation;
  readonly onLink: (invitation: Invitation) => void;
  readonly onRevoke: (invitation: Invitation) => void;
}

function InvitationActions({ invitation, onLink, onRevoke }: InvitationActionsProps): ReactElement {
  const { features } = useSession();
  const resend = useApiMutation('resendInvitation');
  const { email, invitationId } = invitation;
  const run = async (): Promise<void> => {
    try {
      const sent = await resend.mutateAsync({ path: { invitationId } });
      if (sent.link !== undefined) onLink(sent);
      else if (sent.isLinkWithheld === true) notify.error(t.linkWithheld(email));
      else notify.success(t.resent(email));
    } catch (error) {
      notify.error(error);
    }
  };
  const { isMailConfigured } = features;
  return (
    <Menu width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t.menuOf(email)} loading={resend.isPending}>
          <Ellipsis size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={isMailConfigured ? <Send size={15} aria-hidden /> : <Link2 size={15} aria-hidden />}
          onClick={() => void run()}
        >
          {isMailConfigured ? t.resend : t.newLink}
        </Menu.Item>
        <Menu.Item
          color="red"
          leftSection={<Trash2 size={15} aria-hidden />}
          onClick={() => onRevoke(invitation)}
        >
          {t.revoke}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface RevokeDialogProps {
  readonly invitation: Invitation | undefined;
  readonly onClose: () => void;
}

function RevokeDialog({ invitation, onClose }: RevokeDialogProps): ReactElement {
  const revoke = useApiMutation('revokeInvitation');
  const run = async (): Promise<void> => {
    if (invitation === undefined) return;
    await revoke.mutateAsync({ path: { invitationId: invitation.invitationId } });
    notify.success(t.revoked);
  };
  return (
    <ConfirmDialog
      opened={invitation !== undefined}
      onClose={onClose}
      title={t.revokeTitle}
      confirmLabel={t.revoke}
      isDangerous
      onConfirm={run}
    >
      {t.revokeText(invitation?.email ?? '')}
    </ConfirmDialog>
  );
}
