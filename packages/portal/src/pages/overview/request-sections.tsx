import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { AppLink } from '../../components/app-link.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { ChartSkeleton, TimeChart } from '../../components/time-chart.tsx';
import { useMessages } from '../../messages/messages.ts';
import { FailureList } from '../../requests/failure-list.tsx';
import classes from './overview.module.css';
import { RefusedAddressList } from '../../clients/refused-address-list.tsx';

/** The requests of the account in the last day. */
export function TrafficSection(): ReactElement {
  const t = useMessages('overview').traffic;
  const query = useApiQuery('getRequestStatistics', { query: { interval: 'hour' } });
  return (
    <Section
      title={t.title}
      actions={
        <AppLink to="/logs/requests" size="sm">
          {t.open}
        </AppLink>
      }
    >
      <QueryState query={query} loading={<ChartSkeleton />}>
        {({ series }) => <TimeChart points={series[0]?.points ?? []} interval="hour" label={t.chart} />}
      </QueryState>
    </Section>
  );
}

const shownMax = 5;

/** Why requests were refused lately. */
export function FailuresSection(): ReactElement {
  const t = useMessages('overview').failures;
  const query = useApiQuery('listRequestFailures');
  return (
    <Section
      title={t.title}
      description={t.description}
      actions={
        <AppLink to="/logs/requests?outcome=refused" size="sm">
          {t.open}
        </AppLink>
      }
    >
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes['quiet']}>{t.none}</p>
          ) : (
            <FailureList groups={items.slice(0, shownMax)} withClient />
          )
        }
      </QueryState>
    </Section>
  );
}

const addressesMax = 5;

/** Addresses that may be missing in a whitelist. */
export function RefusedSection(): ReactElement {
  const t = useMessages('overview').refused;
  const query = useApiQuery('listRefusedAddresses');
  return (
    <Section title={t.title} description={t.description}>
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes['quiet']}>{t.none}</p>
          ) : (
            <RefusedAddressList items={items.slice(0, addressesMax)} withClient />
          )
        }
      </QueryState>
    </Section>
  );
}
