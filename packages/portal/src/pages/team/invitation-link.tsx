import type { Invitation } from '@countersign/contract';
import { Button, Group, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { CopyableText } from '../../components/copyable-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './team.module.css';

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
