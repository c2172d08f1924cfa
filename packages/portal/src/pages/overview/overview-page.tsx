import { LayoutDashboard } from 'lucide-react';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { AuditTimeline } from '../../audit/audit-timeline.tsx';
import { useClientNames } from '../../clients/use-client-names.ts';
import { AppLink, LinkButton } from '../../components/app-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RangePicker, useRange } from '../../components/range-picker.tsx';
import { Section } from '../../components/section.tsx';
import { overview as t } from '#messages/overview.ts';
import { usePermission, usePerson, useSession } from '../../session/session-context.ts';
import { AttentionSection } from './attention-section.tsx';
import { SetUpChecklist } from './checklist.tsx';
import { Figures } from './figures.tsx';
import { AccountsSection, HealthSection } from './operator-sections.tsx';
import classes from './overview.module.css';
import { FailuresSection, RefusedSection, TrafficSection } from './request-sections.tsx';

/** The start page. The operator's account has its own version. */
export default function OverviewPage(): ReactElement {
  const { account } = useSession();
  const { name } = usePerson();
  return account?.isOperator === true ? (
    <Page title={t.title} description={t.welcome(name)}>
      <OperatorOverview />
    </Page>
  ) : (
    <AccountOverview />
  );
}

function AccountOverview(): ReactElement {
  const words = t.quiet;
  const [range, setRange] = useRange();
  const mayAdd = usePermission('clients:write');
  const seesClients = usePermission('clients:read');
  const seesRequests = usePermission('requests:read');
  const seesAudit = usePermission('audit:read');
  const actions = (
    <>
      {seesRequests && <RangePicker value={range} onChange={setRange} />}
      {mayAdd && <LinkButton to="/integrations/api-keys/new">{t.addClient}</LinkButton>}
    </>
  );
  return (
    <Page title={t.title} actions={actions}>
      {!seesClients && !seesRequests && !seesAudit && (
        <EmptyState icon={LayoutDashboard} title={words.title}>
          {words.text}
        </EmptyState>
      )}
      <div className={classes['column']}>
        {seesClients && <SetUpChecklist />}
        {(seesRequests || seesClients) && <Figures range={range} />}
        {seesRequests && <TrafficSection range={range} />}
        <div className={classes['columns']}>
          {seesRequests && <FailuresSection range={range} />}
          <div className={classes['column']}>
            {seesRequests && <RefusedSection />}
            {seesClients && <AttentionSection />}
          </div>
        </div>
        {seesAudit && <AuditSection />}
      </div>
    </Page>
  );
}

function OperatorOverview(): ReactElement {
  const words = t.operator;
  const { hasTotp, passkeyCount, hasPassword } = usePerson();
  const isWeak = hasPassword && !hasTotp && passkeyCount === 0;
  const seesAccounts = usePermission('accounts:read');
  const seesAudit = usePermission('audit:read');
  return (
    <>
      {isWeak && (
        <Notice
          tone="warning"
          title={words.secureTitle}
          action={
            <LinkButton to="/settings/profile" size="xs" variant="default">
              {words.secure}
            </LinkButton>
          }
        >
          {words.secureText}
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

const shownMax = 6;

function AuditSection(): ReactElement {
  const words = t.audit;
  const query = useApiQuery('listAuditEvents', { query: { limit: shownMax } });
  const clientName = useClientNames();
  return (
    <Section
      title={words.title}
      actions={
        <AppLink to="/settings/audit-log" size="sm">
          {words.open}
        </AppLink>
      }
    >
      <QueryState query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={classes['quiet']}>{words.none}</p>
          ) : (
            <AuditTimeline events={data} names={{ clientName }} label={words.title} />
          )
        }
      </QueryState>
    </Section>
  );
}
