import type { DeliveryState, Webhook } from '@countersign/contract';
import type { ReactElement } from 'react';
import { StatusBadge, type Tone } from '../components/notice.tsx';
import { webhooks as t } from '#messages/webhooks.ts';

type ShownState = keyof typeof t.states;

const tones: Readonly<Record<ShownState, Tone>> = {
  active: 'success',
  failing: 'warning',
  paused: 'neutral',
  disabled: 'danger',
};

/** Returns an active webhook whose last attempt failed as `failing`. */
function shownState({ status, failingSince }: Webhook): ShownState {
  return status === 'active' && failingSince !== undefined ? 'failing' : status;
}

/** The state of a webhook in one word. */
export function WebhookBadge({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const state = shownState(webhook);
  return <StatusBadge tone={tones[state]}>{t.states[state]}</StatusBadge>;
}

interface DeliveryBadgeProps {
  readonly delivery: { readonly state: DeliveryState; readonly attemptCount: number };
}

/** The state of a delivery in one word. One that waits after a failed attempt is retrying. */
export function DeliveryBadge({ delivery: { state, attemptCount } }: DeliveryBadgeProps): ReactElement {
  if (state === 'waiting' && attemptCount > 0)
    return <StatusBadge tone="warning">{t.deliveries.retrying}</StatusBadge>;
  const deliveryTones = { waiting: 'neutral', delivered: 'success', failed: 'danger' } as const;
  return <StatusBadge tone={deliveryTones[state]}>{t.deliveries.states[state]}</StatusBadge>;
}
