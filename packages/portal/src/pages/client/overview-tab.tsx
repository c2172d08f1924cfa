import type { Key } from '@countersign/contract';
import { lazy, type ReactElement, Suspense } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { clientPath } from '../../clients/client-path.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { ProfileLabel } from '../../clients/client-profile.tsx';
import { AppLink } from '../../components/app-link.tsx';
import { Facts } from '../../components/facts.tsx';
import { StatusBadge } from '../../components/notice.tsx';
import { LoadingLines, QueryState } from '../../components/query-state.tsx';
import { RangePicker, startOfRange, stepsOfRange, useRange } from '../../components/range-picker.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { ChartSkeleton, TimeChart } from '../../components/time-chart.tsx';
import { client as clientWords } from '#messages/client.ts';
import { ranges } from '#messages/ranges.ts';
import { messageProfiles } from '#messages/message-profiles.ts';
import { FailureList } from '../../requests/failure-list.tsx';
import { requestsPath } from '../../requests/request-filters.ts';
import { usePermission } from '../../session/session-context.ts';
import classes from './client.module.css';

// Their form fields are more than the first view needs.
const LabelsSection = lazy(() => import('./labels-section.tsx'));
const LimitsSection = lazy(() => import('./limits-section.tsx'));

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
        <Suspense fallback={<LoadingLines />}>
          <LabelsSection view={view} />
          <LimitsSection view={view} />
        </Suspense>
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

function ClientFacts({ view: { client, keys } }: { readonly view: ClientView }): ReactElement {
  const t = clientWords.overview;
  const tab = (name: string): string => clientPath(client.clientId, `?tab=${name}`);
  const { network, lastUsedAt, lastUsedFrom } = client;
  const lastUsed =
    lastUsedAt === undefined ? (
      t.never
    ) : (
      <>
        <RelativeTime at={lastUsedAt} /> {lastUsedFrom && t.from(lastUsedFrom)}
      </>
    );
  return (
    <Facts
      items={[
        { label: t.lastUsed, value: lastUsed },
        { label: t.keys, value: <AppLink to={tab('keys')}>{countKeys(keys, t)}</AppLink> },
        {
          label: t.network,
          value: network.isEveryone ? (
            <AppLink to={tab('network')}>
              <StatusBadge tone="warning">{t.everyone}</StatusBadge>
            </AppLink>
          ) : (
            <AppLink to={tab('network')}>{t.entries(network.entries)}</AppLink>
          ),
        },
        {
          label: t.roles,
          value:
            client.roles.length === 0 ? (
              t.noRoles
            ) : (
              <AppLink to={tab('roles')}>{client.roles.join(', ')}</AppLink>
            ),
        },
        { label: messageProfiles.title, value: <ProfileLabel name={client.profile} /> },
        { label: t.explanations, value: client.allowExplanations ? t.on : t.off },
        { label: t.created, value: <RelativeTime at={client.createdAt} /> },
        { label: t.updated, value: <RelativeTime at={client.updatedAt} /> },
      ]}
    />
  );
}

function countKeys(keys: readonly Key[], t: (typeof clientWords)['overview']): string {
  const count = (status: Key['status']): number => keys.filter((key) => key.status === status).length;
  return t.keyCount(count('active'), count('pending'), count('retiring')) || t.noKeys;
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
