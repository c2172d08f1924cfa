import type { RequestAnalytics } from '@countersign/contract';
import { Button, Skeleton } from '@mantine/core';
import { ChartNoAxesColumn, Download } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { api } from '../../api/api.ts';
import { useApiQuery } from '../../api/queries.ts';
import { ClientSelect } from '../../clients/client-select.tsx';
import { LinkButton } from '../../components/app-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import {
  type Range,
  RangePicker,
  startOfRange,
  stepsOfRange,
  useRange,
} from '../../components/range-picker.tsx';
import { saveText } from '../../components/save-text.ts';
import { shortTime } from '../../components/time-words.ts';
import { useParameters } from '../../components/use-raw-search.ts';
import { queryText } from '../../lists/period.ts';
import { analytics as t } from '#messages/analytics.ts';
import { ranges } from '#messages/ranges.ts';
import classes from './analytics.module.css';
import { TimesSection } from './times-section.tsx';
import { ValueSection } from './value-section.tsx';

interface Scope {
  readonly range: Range;
  readonly clientId: string | undefined;
}

/** Logs > Analytics: what an account's or a client's requests have in common. The address holds range and client. */
export default function AnalyticsPage(): ReactElement {
  const [range, setRange] = useRange();
  const [parameters, change] = useParameters();
  const clientId = queryText(parameters.get('client'), 256);
  const choose = (chosen: string | undefined): void =>
    change(
      () => {
        const changed = new URLSearchParams(parameters);
        if (chosen === undefined) changed.delete('client');
        else changed.set('client', chosen);
        return changed;
      },
      { replace: true },
    );
  const { interval } = stepsOfRange[range];
  const query = useApiQuery(
    'getRequestAnalytics',
    { query: queryOf({ range, clientId }) },
    { keepsPrevious: true },
  );
  const data = query.data?.interval === interval ? query.data : undefined;
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={
        <>
          <RangePicker value={range} onChange={setRange} />
          <ExportButton range={range} clientId={clientId} />
        </>
      }
    >
      <div className={classes['column']}>
        <ClientSelect
          label={t.client}
          placeholder={t.allClients}
          nothingFound={t.noClient}
          value={clientId}
          onChange={choose}
          className={classes['client']}
        />
        <QueryState query={{ ...query, data }} loading={<Placeholder />}>
          {(analytics) => <Sections analytics={analytics} range={range} clientId={clientId} />}
        </QueryState>
      </div>
    </Page>
  );
}

function queryOf({ range, clientId }: Scope): {
  readonly interval: 'hour' | 'day';
  readonly from: string;
  readonly clientId?: string;
} {
  return {
    interval: stepsOfRange[range].interval,
    from: startOfRange(range, 1, Date.now()),
    ...(clientId !== undefined && { clientId }),
  };
}

function Sections({
  analytics,
  range,
  clientId,
}: Scope & { readonly analytics: RequestAnalytics }): ReactElement {
  const { groups, since, from, times } = analytics;
  const isEmpty =
    times.count === 0 &&
    groups.every(
      ({ values, other }) => values.length === 0 && other.accepted + other.observed + other.refused === 0,
    );
  if (isEmpty)
    return (
      <EmptyState
        icon={ChartNoAxesColumn}
        title={t.empty}
        action={<LinkButton to="/logs/requests">{t.emptyAction}</LinkButton>}
      >
        {t.emptyText(ranges[range])}
      </EmptyState>
    );
  return (
    <>
      {since !== undefined && since > from && <Notice tone="info">{t.since(shortTime(since))}</Notice>}
      <TimesSection analytics={analytics} range={range} />
      <div className={classes['columns']}>
        {groups.map((group) => (
          <ValueSection key={group.by} group={group} range={range} clientId={clientId} />
        ))}
      </div>
    </>
  );
}

function ExportButton(scope: Scope): ReactElement {
  const [isBusy, setIsBusy] = useState(false);
  const save = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const { text } = await api.export('getRequestAnalytics', {
        query: { ...queryOf(scope), format: 'csv' },
      });
      saveText(text, `analytics-${new Date().toISOString().slice(0, 10)}.csv`, 'text/csv');
      notify.success(t.exported);
    } catch (error) {
      notify.error(error);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button
      variant="default"
      leftSection={<Download size={15} aria-hidden />}
      loading={isBusy}
      onClick={() => void save()}
    >
      {t.exportCsv}
    </Button>
  );
}

/** As high as the sections of a busy account. */
function Placeholder(): ReactElement {
  return (
    <>
      <Skeleton height="20.5rem" radius="lg" />
      <div className={classes['columns']}>
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} height="26rem" radius="lg" />
        ))}
      </div>
    </>
  );
}
