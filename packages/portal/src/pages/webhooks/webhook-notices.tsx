import { type Webhook, webhookLimits } from '@countersign/contract';
import type { ReactElement } from 'react';
import { Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { webhooks } from '#messages/webhooks.ts';

const t = webhooks.notices;

/** Says why a webhook does not send, or what will happen if it goes on failing. */
export function WebhookNotices({ webhook }: { readonly webhook: Webhook }): ReactElement | null {
  const { status, disabledReason, failingSince } = webhook;
  if (status === 'disabled')
    return (
      <Notice tone="danger" title={t.disabledTitle}>
        {disabledReason} {t.disabled}
      </Notice>
    );
  if (status === 'paused')
    return (
      <Notice tone="neutral" title={t.pausedTitle}>
        {t.paused(webhookLimits.keptDays)}
      </Notice>
    );
  if (failingSince === undefined) return null;
  return (
    <Notice
      tone="warning"
      title={
        <>
          {t.failingSince} <RelativeTime at={failingSince} />
        </>
      }
    >
      {t.failing(webhookLimits.failingDaysMax)}
    </Notice>
  );
}
