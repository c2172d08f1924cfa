import { type WebhookDelivery, webhookEventTypesIn, webhookLimits } from '@countersign/contract';
import { Select } from '@mantine/core';
import { Inbox, SearchX } from 'lucide-react';
import { type ReactElement, useMemo } from 'react';
import { usePagedQuery } from '../../api/queries.ts';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ExactTime } from '../../components/exact-time.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { clearable } from '../../components/clearable.ts';
import { FilterBar, PeriodFields } from '../../lists/filter-bar.tsx';
import { ListState } from '../../lists/list-state.tsx';
import type { SteadyList } from '../../lists/use-steady-list.ts';
import { webhooks } from '#messages/webhooks.ts';
import { useSession } from '../../session/session-context.ts';
import { webhookPath } from '../../webhooks/webhook-path.ts';
import { DeliveryBadge } from '../../webhooks/webhook-state.tsx';
import {
  areDeliveriesFiltered,
  defaultDeliveryFilters,
  type DeliveryFilters,
  deliveryFiltersQuery,
  deliveryListQuery,
  readDeliveryFilters,
} from './delivery-filters.ts';
import classes from './webhooks.module.css';

const t = webhooks.deliveries;

const pageSize = 25;
const refreshMs = 5000;

/** What was sent to a webhook, and the filters, which the address holds. */
export interface DeliveryList {
  readonly pages: SteadyList<WebhookDelivery>['pages'];
  readonly filters: DeliveryFilters;
  readonly change: (next: DeliveryFilters) => void;
  readonly hrefOf: (deliveryId: string) => string;
}

export function useDeliveryList(webhookId: string): DeliveryList {
  const [parameters, setParameters] = useParameters();
  const filters = readDeliveryFilters(parameters);
  const key = deliveryFiltersQuery(filters).toString();
  // A period ends when it is chosen: a later end would be another list.
  const query = useMemo(
    () => deliveryListQuery(readDeliveryFilters(new URLSearchParams(key)), Date.now()),
    [key],
  );
  const pages = usePagedQuery(
    'listWebhookDeliveries',
    { path: { webhookId }, query: { ...query, limit: pageSize } },
    { keepsPrevious: true, refetchIntervalMs: refreshMs },
  );
  const change = (next: DeliveryFilters): void =>
    setParameters(deliveryFiltersQuery(next), { replace: true });
  const hrefOf = (deliveryId: string): string =>
    `${webhookPath(webhookId)}?${deliveryFiltersQuery(filters, deliveryId).toString()}`;
  return { pages, filters, change, hrefOf };
}

export function DeliveryListSection({ list }: { readonly list: DeliveryList }): ReactElement {
  const { pages, filters, change, hrefOf } = list;
  return (
    <Section title={t.title} description={t.text(webhookLimits.keptDays)} isFlush isPlain>
      <div className={classes['filters']}>
        <DeliveryFilterBar filters={filters} onChange={change} />
      </div>
      <ListState pages={pages} empty={<NoDeliveries filters={filters} />}>
        {(deliveries) => (
          <DataTable
            label={t.title}
            columns={columns}
            rows={deliveries}
            rowKey={({ deliveryId }) => deliveryId}
            rowHref={({ deliveryId }) => hrefOf(deliveryId)}
          />
        )}
      </ListState>
    </Section>
  );
}

interface DeliveryFilterBarProps {
  readonly filters: DeliveryFilters;
  readonly onChange: (filters: DeliveryFilters) => void;
}

function DeliveryFilterBar({ filters, onChange }: DeliveryFilterBarProps): ReactElement {
  const { state, eventType } = filters;
  const isOperator = useSession().account?.isOperator ?? false;
  const clear = areDeliveriesFiltered(filters) ? () => onChange(defaultDeliveryFilters) : undefined;
  return (
    <FilterBar onClear={clear}>
      <Select
        label={t.state}
        placeholder={t.anyState}
        {...clearable(t.state)}
        data={Object.entries(t.states).map(([value, label]) => ({ value, label }))}
        value={state ?? null}
        onChange={(chosen) => onChange({ ...filters, state: chosen as DeliveryFilters['state'] })}
      />
      <Select
        label={t.type}
        placeholder={t.anyType}
        nothingFoundMessage={t.noType}
        searchable
        {...clearable(t.type)}
        data={webhookEventTypesIn({ isOperator })}
        value={eventType ?? null}
        onChange={(chosen) => onChange({ ...filters, eventType: chosen ?? undefined })}
        maxDropdownHeight={320}
      />
      <PeriodFields
        range={filters}
        unfiltered={defaultDeliveryFilters.period}
        onChange={(range) => onChange({ ...filters, ...range })}
      />
    </FilterBar>
  );
}

const columns: readonly DataColumn<WebhookDelivery>[] = [
  {
    id: 'event',
    header: t.event,
    isRowHeader: true,
    cell: ({ eventType }) => <code className={classes['type']}>{eventType}</code>,
  },
  { id: 'state', header: t.state, cell: (delivery) => <DeliveryBadge delivery={delivery} /> },
  {
    id: 'attempts',
    header: t.attempts,
    align: 'right',
    cell: ({ attemptCount }) => <span className="tabular">{attemptCount}</span>,
  },
  {
    id: 'next',
    header: t.next,
    cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? t.none : <RelativeTime at={nextAttemptAt} />),
  },
  { id: 'time', header: t.time, align: 'right', cell: ({ createdAt }) => <ExactTime at={createdAt} /> },
];

function NoDeliveries({ filters }: { readonly filters: DeliveryFilters }): ReactElement {
  return areDeliveriesFiltered(filters) ? (
    <EmptyState icon={SearchX} title={t.noneTitle}>
      {t.noneText}
    </EmptyState>
  ) : (
    <EmptyState icon={Inbox} title={t.emptyTitle}>
      {t.emptyText}
    </EmptyState>
  );
}
