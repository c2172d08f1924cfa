import type { WebhookEventTypeEntry } from '@countersign/contract';
import { defineHandlers } from '../handlers.ts';

let catalogue: Promise<readonly WebhookEventTypeEntry[]> | undefined;

/** The catalogue of events, made when someone first asks for it. */
export const webhookEventTypeHandlers = defineHandlers(() => ({
  listWebhookEventTypes: async () => {
    const data = await (catalogue ??= makeCatalogue());
    return { status: 200, body: { data, nextCursor: null } };
  },
}));

async function makeCatalogue(): Promise<readonly WebhookEventTypeEntry[]> {
  return (await import('@countersign/contract/webhook-catalogue')).webhookEventCatalogue();
}
