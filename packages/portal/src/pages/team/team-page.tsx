import { Button } from '@mantine/core';
import { UserPlus } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { InvitationSection } from './invitation-section.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberSection } from './member-section.tsx';
import { RoleGuide } from './role-guide.tsx';

/** Settings > Team: the people of the account, their roles, and who is invited. */
export default function TeamPage(): ReactElement {
  const t = useMessages('team');
  const [isInviting, setIsInviting] = useState(false);
  const mayChange = usePermission('members:write');
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={
        <Permitted permission="members:write">
          {(isDisabled) => (
            <Button
              leftSection={<UserPlus size={16} aria-hidden />}
              disabled={isDisabled}
              onClick={() => setIsInviting(true)}
            >
              {t.invite}
            </Button>
          )}
        </Permitted>
      }
    >
      {!mayChange && <Notice tone="neutral">{t.noPermission}</Notice>}
      <MemberSection />
      <InvitationSection />
      <RoleGuide />
      <InviteDialog isOpen={isInviting} onClose={() => setIsInviting(false)} />
    </Page>
  );
}
