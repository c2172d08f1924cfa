import type { Webhook } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { WebhookRecord } from '../../registry/store/webhooks.ts';
import { entityTag } from '../entity-tag.ts';
import type { ApiRequest } from '../handler.ts';
import { idInPath } from '../input.ts';
import { timestamp } from '../timestamp.ts';

type ShownAnswer = Answer<Webhook> & { readonly body: Webhook };

export function webhookIdOf(request: ApiRequest): string {
  return idInPath(request, 'webhookId', 'webhook');
}

export function webhookAnswer(webhook: WebhookRecord, request: ApiRequest): ShownAnswer {
  const headers = { ETag: entityTag(webhook.version) };
  return { status: 200, headers, body: showWebhook(webhook, request) };
}

export function showWebhook(webhook: WebhookRecord, { nowMs }: ApiRequest): Webhook {
  const { version: _version, disabledReason, failingSinceMs, createdAtMs, updatedAtMs, ...others } = webhook;
  const { previousSecretEndsAtMs: endsAtMs = 0, ...shown } = others;
  return {
    ...shown,
    ...(disabledReason !== undefined && { disabledReason }),
    ...(failingSinceMs !== undefined && { failingSince: timestamp(failingSinceMs) }),
    ...(endsAtMs > nowMs && { previousSecretEndsAt: timestamp(endsAtMs) }),
    createdAt: timestamp(createdAtMs),
    updatedAt: timestamp(updatedAtMs),
  };
}
