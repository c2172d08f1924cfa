import { memberRolesOf } from '@countersign/contract';
import type { ReactElement } from 'react';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { useSession } from '../../session/session-context.ts';
import classes from './team.module.css';

/** What each role of people may do. */
export function RoleGuide(): ReactElement {
  const t = useMessages('team');
  const { account } = useSession();
  return (
    <Section title={t.rolesTitle} description={t.rolesText}>
      <dl className={classes['guide']}>
        {memberRolesOf({ isOperator: account?.isOperator ?? false }).map((role) => (
          <div key={role} className={classes['guide-role']}>
            <dt>{t.roleNames[role]}</dt>
            <dd>{t.roleSummaries[role]}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
