import { type Webhook, webhookLimits } from '@countersign/contract';
import { Button, Tooltip } from '@mantine/core';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { type DataColumn, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { webhooks as t } from '#messages/webhooks.ts';
import { usePermission } from '../../session/session-context.ts';
import { webhookPath, webhooksPath } from '../../webhooks/webhook-path.ts';
import { DeliveryBadge, WebhookBadge } from '../../webhooks/webhook-state.tsx';
import classes from './webhooks.module.css';

const refreshMs = 15_000;

/** Integrations > Webhooks: the URLs that the account's events are sent to. */
export function WebhooksPage(): ReactElement {
  const mayAdd = usePermission('webhooks:write');
  const query = useApiQuery('listWebhooks', { query: { limit: 100 } }, { refetchIntervalMs: refreshMs });
  const count = query.data?.data.length ?? 0;
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={mayAdd && count > 0 && <AddButton isFull={count >= webhookLimits.perAccountMax} />}
    >
      <QueryState query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <NoWebhooks mayAdd={mayAdd} />
          ) : (
            <div className={classes['card']}>
              <WebhookTable webhooks={data} />
            </div>
          )
        }
      </QueryState>
    </Page>
  );
}

function AddButton({ isFull = false }: { readonly isFull?: boolean }): ReactElement {
  const icon = <Plus size={16} aria-hidden />;
  if (!isFull)
    return (
      <LinkButton to={`${webhooksPath}/new`} leftSection={icon}>
        {t.add}
      </LinkButton>
    );
  const why = t.full(webhookLimits.perAccountMax);
  return (
    <Tooltip label={why}>
      <span>
        <Button leftSection={icon} disabled>
          {t.add}
        </Button>
        <span className="portal-visually-hidden">{why}</span>
      </span>
    </Tooltip>
  );
}

function NoWebhooks({ mayAdd }: { readonly mayAdd: boolean }): ReactElement {
  return (
    <div className={classes['card']}>
      <EmptyState icon={WebhookIcon} title={t.empty.title} action={mayAdd && <AddButton />}>
        {mayAdd ? t.empty.text : t.empty.mayNot}
      </EmptyState>
    </div>
  );
}

const columns: readonly DataColumn<Webhook>[] = [
  {
    id: 'webhook',
    header: t.webhook,
    isRowHeader: true,
    cell: ({ url, description }) => (
      <span className={classes['names']}>
        {description !== '' && <bdi>{description}</bdi>}
        <bdi className={description === '' ? classes['url'] : classes['urlBelow']}>{url}</bdi>
      </span>
    ),
  },
  { id: 'events', header: t.events, cell: (webhook) => <WantedEvents webhook={webhook} /> },
  { id: 'state', header: t.state, cell: (webhook) => <State webhook={webhook} /> },
  {
    id: 'last',
    header: t.lastDelivery,
    cell: ({ activity }) =>
      activity?.lastDelivery === undefined ? (
        <span className={classes['dimmed']}>{t.never}</span>
      ) : (
        <span className={classes['names']}>
          <RelativeTime at={activity.lastDelivery.createdAt} />
          <DeliveryBadge delivery={activity.lastDelivery} />
        </span>
      ),
  },
  {
    id: 'share',
    header: t.lastDay,
    align: 'right',
    cell: ({ activity }) => {
      const day = activity?.lastDay;
      return day === undefined || day.delivered + day.failing === 0 ? t.noShare : t.share(day);
    },
  },
];

function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }): ReactElement {
  return (
    <DataTable
      label={t.list}
      columns={columns}
      rows={webhooks}
      rowKey={({ webhookId }) => webhookId}
      rowHref={({ webhookId }) => webhookPath(webhookId)}
    />
  );
}

const typesShownMax = 1;

function WantedEvents({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const { eventTypes, isForAllAccounts } = webhook;
  const isShort = eventTypes !== null && eventTypes.length <= typesShownMax;
  return (
    <span className={classes['names']}>
      <span title={eventTypes?.join(', ')}>
        {eventTypes === null
          ? t.allTypes
          : isShort
            ? eventTypes.map((type) => (
                <code key={type} className={classes['wholeType']}>
                  {type}
                </code>
              ))
            : t.typeCount(eventTypes.length)}
      </span>
      {isForAllAccounts && <span className={classes['dimmed']}>{t.everyAccount}</span>}
    </span>
  );
}

function State({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const { status, failingSince, disabledReason } = webhook;
  return (
    <span className={classes['names']}>
      <WebhookBadge webhook={webhook} />
      {status === 'active' && failingSince !== undefined && (
        <span className={classes['dimmed']}>
          {t.since} <RelativeTime at={failingSince} />
        </span>
      )}
      {disabledReason !== undefined && <span className={classes['dimmed']}>{disabledReason}</span>}
    </span>
  );
}
