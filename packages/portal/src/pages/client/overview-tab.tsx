import { SegmentedControl } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { TimeChart } from '../../components/time-chart.tsx';
import { useMessages } from '../../messages/messages.ts';
import { usePermission } from '../../session/session-context.ts';
import { ClientFacts } from './client-facts.tsx';
import { ClientFailures } from './client-failures.tsx';
import classes from './client.module.css';
import type { ClientView } from './client-view.ts';
import { ChartSkeleton } from './chart-skeleton.tsx';

/** A client at a glance: its requests, why some were refused, and what it is. */
export function OverviewTab({ view }: { readonly view: ClientView }): ReactElement {
  const t = useMessages('client').overview;
  const maySeeRequests = usePermission('requests:read');
  return (
    <div className={classes['stack']}>
      {maySeeRequests && <TrafficSection clientId={view.client.clientId} />}
      <div className={classes['columns']}>
        <Section title={t.facts}>
          <ClientFacts view={view} />
        </Section>
        {maySeeRequests && <ClientFailures clientId={view.client.clientId} />}
      </div>
    </div>
  );
}

function TrafficSection({ clientId }: { readonly clientId: string }): ReactElement {
  const t = useMessages('client').overview;
  const [interval, setInterval] = useState<'hour' | 'day'>('hour');
  const query = useApiQuery('getRequestStatistics', { query: { clientId, interval } });
  return (
    <Section
      title={t.traffic}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t.range}
          value={interval}
          onChange={(next) => setInterval(next === 'day' ? 'day' : 'hour')}
          data={[
            { value: 'hour', label: t.day },
            { value: 'day', label: t.month },
          ]}
        />
      }
    >
      <QueryState query={query} loading={<ChartSkeleton />}>
        {({ series }) => (
          <TimeChart
            points={series[0]?.points ?? []}
            interval={interval}
            label={t.chart(interval === 'hour' ? t.day : t.month)}
          />
        )}
      </QueryState>
    </Section>
  );
}
