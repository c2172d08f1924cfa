import type { ServiceHealth } from '@countersign/contract';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { AppLink } from '../../components/app-link.tsx';
import { Facts } from '../../components/facts.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { asSentence } from '../../components/problem-words.ts';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.tsx';
import { overview } from '#messages/overview.ts';
import { formatNumber } from '#messages/plural.ts';
import classes from './overview.module.css';

const t = overview.operator;

const lookAgainMs = 15_000;

export function HealthSection(): ReactElement {
  const query = useApiQuery('getServiceHealth', {}, { refetchIntervalMs: lookAgainMs });
  return (
    <Section
      title={t.health}
      actions={
        <AppLink to="/operator/health" size="sm">
          {t.healthOpen}
        </AppLink>
      }
    >
      <QueryState query={query}>{(health) => <Health health={health} />}</QueryState>
    </Section>
  );
}

function Health({ health }: { readonly health: ServiceHealth }): ReactElement {
  const { isReady, reason, requestLog } = health;
  return (
    <div className={classes['stack']}>
      <div>
        <StatusBadge tone={isReady ? 'success' : 'danger'}>{isReady ? t.ready : t.notReady}</StatusBadge>
        {reason !== undefined && <p className={classes['quiet']}>{asSentence(reason)}</p>}
      </div>
      <Facts
        width="narrow"
        items={[
          { label: t.version, value: health.version },
          { label: t.running, value: <RelativeTime at={health.startedAt} /> },
          { label: t.database, value: t.databases[health.database] },
          { label: t.guard, value: t.guards[health.guard] },
          { label: t.clients, value: formatNumber(health.registry.clients) },
          { label: t.mail, value: t.mails[health.mail] },
          { label: t.requestLog, value: requestLog.dropped === 0 ? t.kept : t.dropped(requestLog.dropped) },
        ]}
      />
    </div>
  );
}

const shownMax = 8;

export function AccountsSection(): ReactElement {
  const query = useApiQuery('listAccounts', { query: { limit: shownMax } });
  return (
    <Section
      title={t.accounts}
      actions={
        <AppLink to="/operator/accounts" size="sm">
          {t.accountsOpen}
        </AppLink>
      }
    >
      <QueryState query={query}>
        {({ data }) => {
          const customers = data.filter(({ isOperator }) => !isOperator);
          if (customers.length === 0) return <p className={classes['quiet']}>{t.noAccounts}</p>;
          return (
            <ul className={rows['rows']}>
              {customers.map(({ accountId, name, createdAt }) => (
                <li key={accountId} className={rows['row']}>
                  <span className={rows['rowMain']}>
                    <bdi className={rows['rowTitle']}>{name}</bdi>
                    <code className={rows['rowDetail']}>{accountId}</code>
                  </span>
                  <span className={rows['rowDetail']}>
                    {t.created} <RelativeTime at={createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </QueryState>
    </Section>
  );
}
