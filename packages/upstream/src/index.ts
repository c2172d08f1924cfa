/**
 * The check for an API behind a gateway: it verifies that a request came through the gateway unchanged, and returns the
 * client that sent it. And the check for a receiver of webhooks: it verifies that the service sent an event, and returns it.
 *
 * @module
 */
export {
  createForwardedCheck,
  type ForwardedCheck,
  type ForwardedCheckOptions,
  type ForwardedResult,
} from './forwarded-check.ts';
export type { JwkSet } from './key-set.ts';
export type { ForwardedRequest } from './received-request.ts';
export { type RefusalCode, type Refusal } from './refusal.ts';
export {
  createWebhookCheck,
  type ReceivedWebhook,
  type ReceivedWebhookEvent,
  type SeenEvents,
  type WebhookCheck,
  type WebhookCheckOptions,
  type WebhookResult,
} from './webhook-check.ts';
export type { WebhookRefusal, WebhookRefusalCode } from './webhook-refusal.ts';
