import type { WebhookEventTypeEntry } from '@countersign/contract';
import { defineHandlers } from '../handlers.ts';

let catalogue: readonly WebhookEventTypeEntry[] | undefined;

/** The catalogue of events, made when someone first asks for it. */
export const webhookEventTypeHandlers = defineHandlers(() => ({
  listWebhookEventTypes: async () => {
    const { webhookEventCatalogue } = await import('@countersign/contract/webhook-catalogue');
    catalogue ??= webhookEventCatalogue();
    return { status: 200, body: { data: catalogue, nextCursor: null } };
  },
}));
