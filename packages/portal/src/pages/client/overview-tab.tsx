import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { AppLink } from '../../components/app-link.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RangePicker, startOfRange, stepsOfRange, useRange } from '../../components/range-picker.tsx';
import { Section } from '../../components/section.tsx';
import { ChartSkeleton, TimeChart } from '../../components/time-chart.tsx';
import { clientLabels } from '#messages/client-labels.ts';
import { client as clientWords } from '#messages/client.ts';
import { ranges } from '#messages/ranges.ts';
import { FailureList } from '../../requests/failure-list.tsx';
import { requestsPath } from '../../requests/request-filters.ts';
import { usePermission } from '../../session/session-context.ts';
import { ClientFacts, MetadataFacts } from './client-facts.tsx';
import classes from './client.module.css';

export function OverviewTab({ view }: { readonly view: ClientView }): ReactElement {
  const t = clientWords.overview;
  const maySeeRequests = usePermission('requests:read');
  return (
    <div className={classes['stack']}>
      {maySeeRequests && <TrafficSection clientId={view.client.clientId} />}
      <div className={classes['columns']}>
        <Section title={t.facts} isPlain>
          <ClientFacts view={view} />
        </Section>
        {Object.keys(view.client.metadata).length > 0 && (
          <Section title={clientLabels.metadata} isPlain>
            <MetadataFacts view={view} />
          </Section>
        )}
        {maySeeRequests && <ClientFailures clientId={view.client.clientId} />}
      </div>
    </div>
  );
}

function TrafficSection({ clientId }: { readonly clientId: string }): ReactElement {
  const t = clientWords.overview;
  const [range, setRange] = useRange();
  const { interval } = stepsOfRange[range];
  const from = startOfRange(range, 1, Date.now());
  const query = useApiQuery('getRequestStatistics', { query: { clientId, interval, from } });
  return (
    <Section title={t.traffic} isPlain actions={<RangePicker value={range} onChange={setRange} />}>
      <QueryState query={query} loading={<ChartSkeleton />}>
        {({ series }) => (
          <TimeChart points={series[0]?.points ?? []} interval={interval} label={t.chart(ranges[range])} />
        )}
      </QueryState>
    </Section>
  );
}

const shownMax = 6;

function ClientFailures({ clientId }: { readonly clientId: string }): ReactElement {
  const { overview: t, requests } = clientWords;
  const query = useApiQuery('listRequestFailures', { query: { clientId } });
  const inLogs = requestsPath({ clientId, outcome: 'refused' });
  return (
    <Section
      title={t.failures}
      isPlain
      description={t.failuresDescription}
      actions={
        <AppLink to={inLogs} size="sm">
          {requests.open}
        </AppLink>
      }
    >
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes['quiet']}>{t.noFailures}</p>
          ) : (
            <FailureList groups={items.slice(0, shownMax)} />
          )
        }
      </QueryState>
    </Section>
  );
}
