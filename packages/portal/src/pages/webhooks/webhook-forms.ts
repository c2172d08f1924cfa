import { AddWebhookPage } from './add-webhook-page.tsx';
import { UpdateWebhookPage } from './update-webhook-page.tsx';

/** One file for the browser: both pages show the same fields. */
export const webhookForms = { AddWebhookPage, UpdateWebhookPage } as const;
