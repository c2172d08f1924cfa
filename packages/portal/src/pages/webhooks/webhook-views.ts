import { WebhookPage } from './webhook-page.tsx';
import { WebhooksPage } from './webhooks-page.tsx';

/** One file for the browser: each page alone would be some kilobytes, and share most of them with the other. */
export const webhookViews = { WebhookPage, WebhooksPage } as const;
