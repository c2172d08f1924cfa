import { memberRolesOf } from '@countersign/contract';
import { Anchor, Button } from '@mantine/core';
import { UserPlus } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { Permitted } from '../../components/permitted.tsx';
import { Section } from '../../components/section.tsx';
import { team as t } from '#messages/team.ts';
import { usePermission, useSession } from '../../session/session-context.ts';
import { memberRolesPath } from '../roles/role-holders.ts';
import { InvitationSection } from './invitation-section.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberSection } from './member-section.tsx';
import { useInvitations, useOwnMemberRoles, useTeam } from './use-team.ts';
import classes from './team.module.css';

/** Settings > Team. */
export default function TeamPage(): ReactElement {
  const [isInviting, setIsInviting] = useState(false);
  const mayChange = usePermission('members:write');
  const isLoaded = useIsLoaded();
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
      {isLoaded && (
        <>
          <InvitationSection />
          <RoleGuide />
        </>
      )}
      <InviteDialog isOpen={isInviting} onClose={() => setIsInviting(false)} />
    </Page>
  );
}

/** What is below a list appears with it, because nobody knows its height before. */
function useIsLoaded(): boolean {
  const { query } = useTeam();
  const invitations = useInvitations();
  return !query.isPending && !invitations.isPending;
}

function RoleGuide(): ReactElement {
  const { account } = useSession();
  const own = useOwnMemberRoles();
  const maySeeRoles = usePermission('roles:read');
  return (
    <Section
      title={t.rolesTitle}
      description={t.rolesText}
      actions={
        maySeeRoles && (
          <Anchor component={Link} href={memberRolesPath} size="sm">
            {t.rolesLink}
          </Anchor>
        )
      }
      isPlain
    >
      <dl className={classes['guide']}>
        {memberRolesOf({ isOperator: account?.isOperator ?? false }).map((role) => (
          <div key={role} className={classes['guide-role']}>
            <dt>{t.roleNames[role]}</dt>
            <dd>{t.roleSummaries[role]}</dd>
          </div>
        ))}
        {own.map(({ roleId, name, summary }) => (
          <div key={roleId} className={classes['guide-role']}>
            <dt>{name}</dt>
            <dd>
              <bdi>{summary}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
