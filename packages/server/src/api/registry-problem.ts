import { isProblemCode, type ProblemCode } from '@countersign/contract';
import type { RegistryError, RegistryErrorCode } from '../registry/registry-error.ts';
import { entityTag } from './entity-tag.ts';
import { bodyInvalid } from '../request-bodies/request-body.ts';
import { queryInvalid } from './request-query.ts';
import { pointerTo } from '../request-bodies/strict-json.ts';
import { ProblemError } from '@countersign/gate';

/**
 * Maps the registry's codes to problems of the API. `query` is a mistake in the query. `input` is a mistake in
 * the body, at the member that the error names. Codes that no operation can cause are bugs.
 */
const problemsOf: Readonly<
  Record<Exclude<RegistryErrorCode, ProblemCode>, ProblemCode | 'input' | 'query' | undefined>
> = {
  account_unknown: 'input',
  account_ambiguous: undefined,
  client_unknown: 'not_found',
  client_id_invalid: 'input',
  client_revoked: 'client_state_conflict',
  client_not_revoked: 'client_state_conflict',
  name_invalid: 'input',
  profile_contradictory: 'input',
  profile_unknown: 'input',
  sort_impossible: 'query',
  tags_invalid: 'input',
  roles_too_many: 'input',
  metadata_invalid: 'input',
  key_refused: 'input',
  key_unknown: 'not_found',
  key_ended: 'key_state_conflict',
  key_is_last: 'key_state_conflict',
  key_dates_invalid: 'input',
  keys_in_directory: 'client_state_conflict',
  directory_invalid: 'input',
  directory_missing: 'client_state_conflict',
  directory_just_refreshed: 'rate_limited',
  network_empty: 'input',
  network_invalid: 'input',
  network_too_long: 'network_whitelist_full',
  network_entry_unknown: 'not_found',
  role_not_found: 'not_found',
  role_unknown: 'input',
  role_permission_invalid: 'input',
  version_changed: 'precondition_failed',
  caller_ended: 'signature_invalid',
  caller_disabled: 'client_disabled',
  caller_suspended: 'account_suspended',
  caller_elsewhere: 'network_not_allowed',
  caller_not_permitted: 'permission_denied',
  caller_signed_out: 'session_required',
  caller_not_member: 'not_found',
  member_unknown: 'not_found',
  member_role_invalid: 'input',
  leading_role_held: 'permission_denied',
  invitation_unknown: 'not_found',
  invitation_just_sent: 'too_many_attempts',
  acting_unknown: 'not_found',
  pending_change_unknown: 'not_found',
  webhook_unknown: 'not_found',
  webhook_invalid: 'input',
  alert_rule_unknown: 'not_found',
  alert_rule_invalid: 'input',
  saved_view_unknown: 'not_found',
  saved_view_name_taken: 'input',
  saved_views_full: 'input',
  registry_missing: undefined,
};

/** Returns the problem for a registry error; undefined if the error is a bug. */
export function problemOfRegistryError(error: RegistryError): ProblemError | undefined {
  const code = isProblemCode(error.code) ? error.code : problemsOf[error.code];
  if (code === undefined) return undefined;
  const pointer = (error.member ?? []).reduce<string>(pointerTo, '');
  const errors = [{ pointer, detail: error.message }];
  if (code === 'input') return bodyInvalid(errors);
  if (code === 'query') return queryInvalid(error.message);
  if (code === 'not_found') return new ProblemError(code);
  // The same response as check 8: only the owner may know what exactly has ended.
  if (code === 'signature_invalid') return new ProblemError(code, { detail: error.message });
  const headers = error.version === undefined ? {} : { ETag: entityTag(error.version) };
  const { message: reason, retryAfterSeconds } = error;
  return new ProblemError(code, {
    members: {
      reason,
      ...(error.member !== undefined && { errors }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
    headers,
  });
}
