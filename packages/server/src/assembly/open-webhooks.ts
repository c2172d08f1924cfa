import type { ForwardingKey } from '@countersign/gate';
import type { Configuration } from '../configuration/load.ts';
import type { ForwardingKeys } from '../forwarding/forwarding-keys.ts';
import type { RepeatedWork } from '../lifecycle/repeated-work.ts';
import { startDeliveringWebhooks } from '../webhooks/deliver-webhooks.ts';
import { openWebhookSecrets } from '../webhooks/webhook-secrets.ts';
import type { Parts } from './parts.ts';
import type { ServiceOverrides } from './service-overrides.ts';

/** Starts sending events to webhooks. The first one publishes a key, if nothing else has been signed before. */
export function openWebhooks(
  { webhookOrigins, webhookSecret }: Configuration,
  { ground: { nowMs, monotonicMs, logger }, stores: { database } }: Pick<Parts, 'ground' | 'stores'>,
  keys: ForwardingKeys,
  { webhooks, webhooksEveryMs: everyMs }: ServiceOverrides,
): RepeatedWork {
  return startDeliveringWebhooks({
    ...webhooks,
    database,
    nowMs,
    monotonicMs,
    signingKey: () => publishedKey(keys),
    secrets: openWebhookSecrets(webhookSecret?.reveal()),
    trustedOrigins: new Set(webhookOrigins),
    onDisabled: (webhookId, reason) => logger.warn({ webhookId, reason }, 'a webhook was disabled'),
    onError: (error) => logger.error({ error }, 'webhooks could not be delivered'),
    everyMs,
  });
}

/** Returns the key that signs now, and publishes one first if there is none; undefined if it cannot. */
export async function publishedKey(keys: ForwardingKeys): Promise<ForwardingKey | undefined> {
  await keys.start();
  // After the machine slept, the key was not renewed for long.
  if (keys.key() === undefined) await keys.tend();
  return keys.key();
}
