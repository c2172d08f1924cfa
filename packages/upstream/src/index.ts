/**
 * The check for an API behind a gateway: it verifies that a request came through the gateway unchanged, and returns the
 * client that sent it.
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
