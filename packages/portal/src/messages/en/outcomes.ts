/** The title of a request that failed a check and passed, because its route only observes. */
export function letThrough(title: string): string {
  return `Let through: ${title}`;
}

/** Short titles of problem codes. Other codes use the title of the contract. */
export const outcomes: Readonly<Record<string, string | undefined>> = {
  accepted: 'Accepted',
  request_malformed: 'Malformed request',
  uri_too_long: 'URL too long',
  headers_too_large: 'Headers too large',
  too_many_failures: 'Too many failures',
  signature_missing: 'Not signed',
  signature_malformed: 'Signature malformed',
  parameters_invalid: 'Wrong parameters',
  algorithm_not_allowed: 'Wrong algorithm',
  components_invalid: 'Wrong components signed',
  created_expired: 'Signature too old',
  created_in_future: 'Created in the future',
  date_invalid: 'Date invalid',
  date_mismatch: 'Date differs',
  signature_invalid: 'Signature invalid',
  client_disabled: 'Client disabled',
  account_suspended: 'Account suspended',
  network_not_allowed: 'Address not allowed',
  permission_denied: 'Not permitted',
  rate_limited: 'Rate limited',
  body_too_large: 'Body too large',
  digest_missing: 'Digest missing',
  digest_malformed: 'Digest malformed',
  digest_mismatch: 'Body differs',
  signature_replayed: 'Replayed',
  not_found: 'Not found',
  method_not_allowed: 'Wrong method',
  body_invalid: 'Body invalid',
  query_invalid: 'Query invalid',
  guard_unavailable: 'Replay guard unavailable',
  guard_full: 'Replay guard full',
  recently_restarted: 'Service restarted',
  registry_stale: 'Registry stale',
  storage_unavailable: 'Storage unavailable',
  internal_error: 'Internal error',
};
