/** The reasons why an attempt to deliver an event failed. Reasons are added, never renamed or removed. */
export const webhookFailures = [
  'url_not_allowed',
  'secret_unreadable',
  'address_not_public',
  'connection_failed',
  'tls_failed',
  'timed_out',
  'answer_malformed',
  'redirected',
  'gone',
  'rate_limited',
  'client_error',
  'server_error',
  'status_unexpected',
] as const;

export type WebhookFailure = (typeof webhookFailures)[number];
