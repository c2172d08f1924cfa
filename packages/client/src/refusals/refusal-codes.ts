/**
 * The codes with which the service itself rejects a request, before or instead of an API's response. An
 * operation's own errors, such as `not_found`, are ordinary responses. Codes are added, never renamed;
 * docs/errors.md explains them.
 */
export const refusalCodes = [
  'request_malformed',
  'uri_too_long',
  'headers_too_large',
  'too_many_failures',
  'signature_missing',
  'signature_malformed',
  'parameters_invalid',
  'algorithm_not_allowed',
  'components_invalid',
  'created_expired',
  'created_in_future',
  'date_invalid',
  'date_mismatch',
  'signature_invalid',
  'client_disabled',
  'account_suspended',
  'network_not_allowed',
  'permission_denied',
  'rate_limited',
  'body_too_large',
  'digest_missing',
  'digest_malformed',
  'digest_mismatch',
  'signature_replayed',
  'path_ambiguous',
  'body_unseen',
  'upgrade_refused',
  'upstream_unavailable',
  'upstream_failed',
  'upstream_busy',
  'upstream_timeout',
  'guard_unavailable',
  'guard_full',
  'recently_restarted',
  'registry_stale',
  'storage_unavailable',
  'outcome_unknown',
  'shutting_down',
  'request_timeout',
  'internal_error',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];
