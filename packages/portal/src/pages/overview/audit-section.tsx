import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { AuditTimeline } from '../../audit/audit-timeline.tsx';
import { AppLink } from '../../components/app-link.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { useMessages } from '../../messages/messages.ts';
import { useClientNames } from './use-client-names.ts';
import classes from './overview.module.css';

const shownMax = 6;

/** Who changed what lately. */
export function AuditSection(): ReactElement {
  const t = useMessages('overview').audit;
  const query = useApiQuery('listAuditEvents', { query: { limit: shownMax } });
  const clientName = useClientNames();
  return (
    <Section
      title={t.title}
      actions={
        <AppLink to="/settings/audit-log" size="sm">
          {t.open}
        </AppLink>
      }
    >
      <QueryState query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={classes['quiet']}>{t.none}</p>
          ) : (
            <AuditTimeline events={data} names={{ clientName }} label={t.title} />
          )
        }
      </QueryState>
    </Section>
  );
}
