import type { Invitation } from '@countersign/contract';
import { Button, Group, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { team as t } from '#messages/team.ts';
import { CopyableText } from './copyable-text.tsx';
import classes from './invitation-link.module.css';
import { Notice } from './notice.tsx';

interface InvitationLinkProps {
  readonly invitation: Invitation;
  readonly onDone: () => void;
}

/** The invitation link, to hand over where the service sends no mail. */
export function InvitationLink({ invitation, onDone }: InvitationLinkProps): ReactElement {
  return (
    <Stack gap="md">
      <Notice tone="warning">{t.linkText(invitation.email)}</Notice>
      <div className={classes['link']}>
        <CopyableText value={invitation.link ?? ''} label={t.link} />
      </div>
      <Group justify="flex-end">
        <Button onClick={onDone}>{t.done}</Button>
      </Group>
    </Stack>
  );
}

/** Checks the form of a single address; the service decides. */
export function isEmail(text: string): boolean {
  return /^[^\s@,;<>]{1,64}@[^\s@,;<>]+\.[^\s@,;<>]{2,}$/.test(text) && text.length <= 254;
}
