import { LayoutDashboard } from 'lucide-react';
import type { ReactElement } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { AttentionSection } from './attention-section.tsx';
import { AuditSection } from './audit-section.tsx';
import { Checklist } from './checklist.tsx';
import { FailuresSection } from './failures-section.tsx';
import classes from './overview.module.css';
import { RefusedSection } from './refused-section.tsx';
import { TrafficSection } from './traffic-section.tsx';

/** What the account of a customer looks at first; of what the person's role shows. */
export function AccountOverview(): ReactElement {
  const t = useMessages('overview').quiet;
  const seesClients = usePermission('clients:read');
  const seesRequests = usePermission('requests:read');
  const seesAudit = usePermission('audit:read');
  if (!seesClients && !seesRequests && !seesAudit) {
    return (
      <EmptyState icon={LayoutDashboard} title={t.title}>
        {t.text}
      </EmptyState>
    );
  }
  return (
    <>
      {seesClients && <Checklist />}
      {seesRequests && <TrafficSection />}
      <div className={classes['columns']}>
        {seesRequests && <FailuresSection />}
        {seesAudit && <AuditSection />}
      </div>
      <div className={classes['columns']}>
        {seesClients && <AttentionSection />}
        {seesRequests && <RefusedSection />}
      </div>
    </>
  );
}
