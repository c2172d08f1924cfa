import type { ReactElement } from 'react';
import { LinkButton } from '../../components/app-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission, usePerson } from '../../session/session-context.ts';
import { AccountsSection } from './accounts-section.tsx';
import { AuditSection } from './audit-section.tsx';
import { HealthSection } from './health-section.tsx';
import classes from './overview.module.css';

/** What the operator of the service looks at first: how it is, and whom it serves. */
export function OperatorOverview(): ReactElement {
  const t = useMessages('overview').operator;
  const { hasTotp, passkeyCount, hasPassword } = usePerson();
  const isWeak = hasPassword && !hasTotp && passkeyCount === 0;
  const seesAccounts = usePermission('accounts:read');
  const seesAudit = usePermission('audit:read');
  return (
    <>
      {isWeak && (
        <Notice
          tone="warning"
          title={t.secureTitle}
          action={
            <LinkButton to="/settings/profile" size="xs" variant="default">
              {t.secure}
            </LinkButton>
          }
        >
          {t.secureText}
        </Notice>
      )}
      <div className={classes['columns']}>
        <div className={classes['column']}>
          {seesAccounts && <HealthSection />}
          {seesAccounts && <AccountsSection />}
        </div>
        {seesAudit && <AuditSection />}
      </div>
    </>
  );
}
