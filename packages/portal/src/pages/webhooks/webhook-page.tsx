import type { Webhook } from '@countersign/contract';
import { useMediaQuery } from '@mantine/hooks';
import { Unplug } from 'lucide-react';
import type { ReactElement } from 'react';
import { isApiError } from '../../api/api-error.ts';
import { useEntityQuery } from '../../api/queries.ts';
import { CopyableText } from '../../components/copyable-text.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Facts } from '../../components/facts.tsx';
import { Page } from '../../components/page.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { webhooks } from '#messages/webhooks.ts';
import { usePermission, useSession } from '../../session/session-context.ts';
import { webhookPath, webhooksPath } from '../../webhooks/webhook-path.ts';
import { WebhookBadge } from '../../webhooks/webhook-state.tsx';
import { DeliveryDetail } from './delivery-detail.tsx';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { DeliveryListSection, useDeliveryList } from './delivery-list-section.tsx';
import { TestSection } from './test-section.tsx';
import { useWebhookId, type WebhookView } from './use-webhook.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookNotices } from './webhook-notices.tsx';
import classes from './webhooks.module.css';

const t = webhooks.page;

const refreshMs = 10_000;

/** A webhook with its deliveries. `?delivery=` opens one: beside the list, or as a page if there is no room. */
export function WebhookPage(): ReactElement {
  const webhookId = useWebhookId();
  const isNarrow = useMediaQuery('(max-width: 62em)', undefined, { getInitialValueInEffect: false }) ?? false;
  const deliveryId = useParameters()[0].get('delivery') ?? undefined;
  const query = useEntityQuery('getWebhook', { path: { webhookId } }, { refetchIntervalMs: refreshMs });
  const back = { to: webhooksPath, label: t.back };
  if (query.data === undefined || isApiError(query.error, 'not_found')) {
    return (
      <Page title={t.loadingTitle} back={back}>
        {isApiError(query.error, 'not_found') ? (
          <EmptyState icon={Unplug} title={t.goneTitle}>
            {t.gone}
          </EmptyState>
        ) : (
          <QueryState query={{ ...query, data: undefined }}>{() => null}</QueryState>
        )}
      </Page>
    );
  }
  const view = query.data;
  if (deliveryId !== undefined && isNarrow) {
    return (
      <Page
        title={webhooks.delivery.title}
        back={{ to: webhookPath(webhookId), label: webhooks.delivery.back }}
      >
        <DeliveryDetail webhook={view.body} deliveryId={deliveryId} />
      </Page>
    );
  }
  return <WholePage view={view} deliveryId={deliveryId} />;
}

interface WholePageProps {
  readonly view: WebhookView;
  readonly deliveryId: string | undefined;
}

function WholePage({ view, deliveryId }: WholePageProps): ReactElement {
  const webhook = view.body;
  const mayChange = usePermission('webhooks:write');
  const deliveries = useDeliveryList(webhook.webhookId);
  const { isPending } = deliveries.pages;
  return (
    <Page
      title={webhook.description === '' ? hostOf(webhook.url) : webhook.description}
      back={{ to: webhooksPath, label: t.back }}
      description={
        <div className={classes['headline']}>
          <WebhookBadge webhook={webhook} />
          <CopyableText value={webhook.url} label={webhooks.form.url} />
        </div>
      }
      actions={<WebhookActions view={view} />}
    >
      <WebhookNotices webhook={webhook} />
      {mayChange && <TestSection webhook={webhook} />}
      <DeliveryListSection list={deliveries} />
      {/* Not before the list has its height, which would move them. */}
      {!isPending && <Details webhook={webhook} />}
      <DeliveryDrawer webhook={webhook} deliveryId={deliveryId} />
    </Page>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function Details({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const { webhookId, eventTypes, isOrdered, isForAllAccounts, createdAt, updatedAt } = webhook;
  const { attemptsPerMinuteMax, headerNames, previousSecretEndsAt } = webhook;
  const { account } = useSession();
  return (
    <Section title={t.details} isPlain>
      <Facts
        width="wide"
        items={[
          { label: t.webhookId, value: <CopyableText value={webhookId} label={t.webhookId} /> },
          { label: t.order, value: isOrdered ? t.ordered : t.unordered },
          ...(account?.isOperator || isForAllAccounts
            ? [{ label: t.accounts, value: isForAllAccounts ? webhooks.everyAccount : t.ownAccount }]
            : []),
          { label: t.attemptsPerMinute, value: attemptsPerMinuteMax ?? t.unlimited },
          { label: t.headers, value: headerNames.length === 0 ? t.noHeaders : codeList(headerNames) },
          { label: t.secret, value: t.secretText },
          ...(previousSecretEndsAt === undefined
            ? []
            : [{ label: t.previousSecret, value: <RelativeTime at={previousSecretEndsAt} /> }]),
          { label: t.createdAt, value: <RelativeTime at={createdAt} /> },
          { label: t.updatedAt, value: <RelativeTime at={updatedAt} /> },
          { label: t.eventTypes, value: eventTypes === null ? webhooks.allTypes : codeList(eventTypes) },
        ]}
      />
    </Section>
  );
}

function codeList(names: readonly string[]): ReactElement {
  return (
    <span className={classes['chips']}>
      {names.map((name) => (
        <code key={name}>{name}</code>
      ))}
    </span>
  );
}
