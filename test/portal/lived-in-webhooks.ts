import { connect } from 'node:net';
import type { Webhook, WebhookDelivery } from '@countersign/contract';
import { waitUntil } from '@countersign/testing/wait-until';
import { answerWith, openReceiver } from '../../packages/server/test/webhooks/receiver.ts';
import type { PortalSession } from './portal-session.ts';

/** Trusted by the service, and in no DNS. */
export const hooksOrigin = 'http://hooks.northwind.example';

/** A receiver of the account, which answers one of its paths with an error, and the network on which it is found. */
export interface HookReceiver {
  readonly means: {
    readonly resolve: () => Promise<readonly string[]>;
    readonly openSocket: () => ReturnType<typeof connect>;
  };
  close(): Promise<void>;
}

export async function openHookReceiver(): Promise<HookReceiver> {
  const receiver = await openReceiver();
  receiver.answer = (response, event) => {
    const answer =
      event.path === '/alerts' ? answerWith(503, {}, 'Bad gateway: no backend is up') : answerWith(204);
    answer(response, event);
  };
  const { hostname, port } = new URL(receiver.origin);
  return {
    means: {
      resolve: async () => ['127.0.0.1'],
      openSocket: () => connect({ host: hostname, port: Number(port) }),
    },
    close: () => receiver.close(),
  };
}

/** Adds webhooks of an account: one that works and is told of what follows, one that fails, and a paused one. */
export async function addWebhooks(owner: PortalSession): Promise<string> {
  const add = (path: string, body: object): Promise<Webhook> =>
    owner.send('POST', '/v1/webhooks', { url: `${hooksOrigin}${path}`, ...body });
  const { webhookId } = await add('/countersign', { description: 'Audit archive' });
  const alerts = await add('/alerts', {
    description: 'Alerts to the team on call',
    eventTypes: ['client.requests_failing', 'client.address_refused'],
    isOrdered: true,
    attemptsPerMinuteMax: 60,
    headers: { 'x-api-key': 'on-call-gateway-key', 'x-tenant': 'northwind' },
  });
  await add('/finance/keys?team=treasury', {
    eventTypes: ['key.due', 'key.expired', 'key.revoked'],
    isPaused: true,
  });
  const { deliveryId } = await owner.send<WebhookDelivery>('POST', `/v1/webhooks/${alerts.webhookId}/test`);
  await waitUntil(async () => {
    const path = `/v1/webhooks/${alerts.webhookId}/deliveries/${deliveryId}`;
    return (await owner.send<WebhookDelivery>('GET', path)).attemptCount > 0;
  }, 'an attempt that fails');
  await owner.send('POST', `/v1/webhooks/${webhookId}/test`);
  return webhookId;
}
