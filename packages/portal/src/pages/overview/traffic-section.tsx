import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { AppLink } from '../../components/app-link.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { TimeChart } from '../../components/time-chart.tsx';
import { useMessages } from '../../messages/messages.ts';
import { ChartSkeleton } from '../client/chart-skeleton.tsx';

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
