import { z } from 'zod';
import { webhookData, webhookEvent, webhookEventExamples } from '../schemas/webhook-events.ts';
import type { WebhookEventTypeEntry } from '../schemas/webhooks.ts';
import { type WebhookEventType, webhookEventTypes } from '../webhook-event-types.ts';
import { openSchema } from './schemas.ts';

/** No type has ever changed but by more members. */
const version = 1;

/** Returns every type of events with its schema and an example, in the order of the documentation. */
export function webhookEventCatalogue(): readonly WebhookEventTypeEntry[] {
  return webhookEventExamples().map((example): WebhookEventTypeEntry => {
    const type = example.type as WebhookEventType;
    const { summary, permission, data } = webhookEventTypes[type];
    const whole = webhookEvent.extend({ type: z.literal(type), data: webhookData[data] });
    const description = webhookData[data].description ?? '';
    return { type, title: summary, description, permission, version, schema: openSchema(whole), example };
  });
}
