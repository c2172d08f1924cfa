import type { Webhook, WebhookDelivery, WebhookDeliveryDetails } from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import {
  anywhere,
  type Caller,
  type Client,
  type Data,
  managementScene,
  type ManagementScene,
  type SceneOptions,
} from '../management/scene.ts';
import { openReceiver, type Receiver } from './receiver.ts';

/** Events are sent only when a test says so. */
export const never = 2 ** 31 - 1;

/** A service that trusts a receiver on this machine. */
export interface WebhookScene {
  readonly scene: ManagementScene;
  readonly receiver: Receiver;
  /** Ends the next attempts, as their timers would. */
  readonly timers: { expire: () => void };
  /** Adds a webhook with a path of its own at the receiver, for added clients unless said otherwise. */
  add(body?: object, by?: Caller): Promise<Webhook & { readonly path: string; readonly secret: string }>;
  /** Makes something happen: adds a client. */
  addClient(by?: Caller): Promise<Client>;
  /** Sends what is due after a while. */
  deliver(afterMs?: number): Promise<void>;
  /** The deliveries of a webhook, newest first. */
  deliveries(webhook: Pick<Webhook, 'webhookId'>): Promise<readonly WebhookDelivery[]>;
  /** The newest delivery of a webhook. */
  details(webhook: Pick<Webhook, 'webhookId'>): Promise<WebhookDeliveryDetails>;
  close(): Promise<void>;
}

export async function webhookScene(backend: Backend, options: SceneOptions = {}): Promise<WebhookScene> {
  const receiver = await openReceiver();
  let expiry = new AbortController();
  const scene = await managementScene(backend, {
    ...options,
    settings: { COUNTERSIGN_WEBHOOK_ORIGINS: receiver.origin, ...options.settings },
    overrides: {
      webhooksEveryMs: never,
      webhooks: { deadline: () => expiry.signal, ...options.overrides?.webhooks },
      ...options.overrides,
    },
  });
  const { administrator } = scene;
  let paths = 0;
  const deliveries: WebhookScene['deliveries'] = async ({ webhookId }) => {
    const { data } = await scene.succeed<Data<WebhookDelivery>>(administrator, 'listWebhookDeliveries', {
      path: { webhookId },
    });
    return data;
  };
  return {
    scene,
    receiver,
    timers: {
      expire: () => {
        expiry.abort();
        expiry = new AbortController();
      },
    },
    async add(body = {}, by = administrator) {
      const path = `/hook-${++paths}`;
      const webhook = await scene.succeed<Webhook>(by, 'addWebhook', {
        body: { url: `${receiver.origin}${path}`, eventTypes: ['client.added'], ...body },
      });
      return { ...webhook, path, secret: webhook.secret ?? '' };
    },
    addClient: (by = administrator) =>
      scene.succeed<Client>(by, 'addClient', { body: { name: 'Client', networkWhitelist: anywhere } }),
    async deliver(afterMs = 0) {
      scene.clock.aheadMs += afterMs;
      await scene.running.service.deliverWebhooks();
    },
    deliveries,
    async details(webhook) {
      const [newest] = await deliveries(webhook);
      const path = { webhookId: webhook.webhookId, deliveryId: newest?.deliveryId ?? '' };
      return scene.succeed<WebhookDeliveryDetails>(administrator, 'getWebhookDelivery', { path });
    },
    async close() {
      await scene.close();
      await receiver.close();
    },
  };
}
