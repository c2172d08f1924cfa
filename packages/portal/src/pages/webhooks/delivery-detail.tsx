import { type Webhook, type WebhookDeliveryDetails, webhookLimits } from '@countersign/contract';
import { Button } from '@mantine/core';
import { RotateCcw, Unplug } from 'lucide-react';
import type { ReactElement } from 'react';
import { api } from '../../api/api.ts';
import { isApiError } from '../../api/api-error.ts';
import { useApiQuery } from '../../api/queries.ts';
import { clientPath } from '../../clients/client-path.ts';
import { useClientNames } from '../../clients/use-client-names.ts';
import { CodeBlock } from '../../code/code-block.tsx';
import { AppLink } from '../../components/app-link.tsx';
import { CopyableText } from '../../components/copyable-text.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { DescribedFact } from '../../components/facts.tsx';
import { Notice } from '../../components/notice.tsx';
import { notify } from '../../components/notify.ts';
import { Permitted } from '../../components/permitted.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { absoluteTime } from '../../components/time-words.ts';
import { useAction } from '../../components/use-action.ts';
import { webhooks } from '#messages/webhooks.ts';
import { DeliveryBadge } from '../../webhooks/webhook-state.tsx';
import { AttemptFailure } from './attempt-failure.tsx';
import { AttemptTimeline } from './attempt-timeline.tsx';
import { useWebhookChange } from './use-webhook.ts';
import classes from './delivery-detail.module.css';

const t = webhooks.delivery;

const refreshMs = 2000;

interface DeliveryDetailProps {
  readonly webhook: Webhook;
  readonly deliveryId: string;
}

/** A delivery with its event, its attempts, and what to do if it failed. Follows the attempts as they happen. */
export function DeliveryDetail({ webhook, deliveryId }: DeliveryDetailProps): ReactElement {
  const path = { webhookId: webhook.webhookId, deliveryId };
  const query = useApiQuery('getWebhookDelivery', { path }, { refetchIntervalMs: refreshMs });
  if (isApiError(query.error, 'not_found'))
    return (
      <EmptyState icon={Unplug} title={t.goneTitle}>
        {t.gone(webhookLimits.keptDays)}
      </EmptyState>
    );
  return (
    <QueryState query={query}>{(delivery) => <Known webhook={webhook} delivery={delivery} />}</QueryState>
  );
}

interface KnownProps {
  readonly webhook: Webhook;
  readonly delivery: WebhookDeliveryDetails;
}

function Known({ webhook, delivery }: KnownProps): ReactElement {
  const { state, eventType, attempts, event } = delivery;
  const [last] = attempts;
  return (
    <div className={classes['detail']}>
      <div className={classes['head']}>
        <DeliveryBadge delivery={delivery} />
        <code className={classes['type']}>{eventType}</code>
        <ResendButton webhook={webhook} delivery={delivery} />
      </div>
      {state !== 'delivered' && last?.problem !== undefined && (
        <Notice tone={state === 'failed' ? 'danger' : 'warning'} title={t.whatToDo}>
          <AttemptFailure attempt={last} />
        </Notice>
      )}
      {state === 'failed' && last === undefined && (
        <Notice tone="danger" title={t.neverSent}>
          {t.neverSentText}
        </Notice>
      )}
      <DeliveryFacts delivery={delivery} />
      <section>
        <h2 className={classes['title']}>{t.attempts}</h2>
        <AttemptTimeline attempts={attempts} />
      </section>
      <section>
        <h2 className={classes['title']}>{t.body}</h2>
        <p className={classes['note']}>{t.bodyText}</p>
        <CodeBlock
          code={JSON.stringify(event, undefined, 2)}
          language="json"
          label={t.body}
          copyLabel={t.bodyLabel}
        />
      </section>
    </div>
  );
}

function ResendButton({ webhook, delivery }: KnownProps): ReactElement {
  const change = useWebhookChange();
  const { webhookId, status } = webhook;
  const { deliveryId } = delivery;
  const { isBusy, run } = useAction(async () => {
    const resend = () => api.call('resendWebhookDelivery', { path: { webhookId, deliveryId } });
    await change(resend, status === 'active' ? t.resent : t.resentPaused).catch((error: unknown) =>
      notify.error(error),
    );
  });
  return (
    <Permitted permission="webhooks:write">
      {(isDisabled) => (
        <Button
          variant="default"
          size="xs"
          leftSection={<RotateCcw size={14} aria-hidden />}
          disabled={isDisabled}
          loading={isBusy}
          onClick={() => void run()}
        >
          {t.resend}
        </Button>
      )}
    </Permitted>
  );
}

function DeliveryFacts({ delivery }: { readonly delivery: WebhookDeliveryDetails }): ReactElement {
  const { createdAt, nextAttemptAt, clientId, eventId, deliveryId } = delivery;
  const clientName = useClientNames();
  return (
    <dl className={classes['facts']}>
      <DescribedFact label={t.happenedAt}>
        {absoluteTime(createdAt)}
        <span className={classes['aside']}>
          <RelativeTime at={createdAt} />
        </span>
      </DescribedFact>
      {nextAttemptAt !== null && (
        <DescribedFact label={t.next}>
          {absoluteTime(nextAttemptAt)}
          <span className={classes['aside']}>
            <RelativeTime at={nextAttemptAt} />
          </span>
        </DescribedFact>
      )}
      {clientId !== undefined && (
        <DescribedFact label={t.client}>
          <AppLink to={clientPath(clientId)}>
            <bdi>{clientName(clientId) ?? clientId}</bdi>
          </AppLink>
        </DescribedFact>
      )}
      <DescribedFact label={t.eventId}>
        <CopyableText value={eventId} label={t.eventId} />
      </DescribedFact>
      <DescribedFact label={t.deliveryId}>
        <CopyableText value={deliveryId} label={t.deliveryId} />
      </DescribedFact>
    </dl>
  );
}
