# frozen_string_literal: true

require 'set'

module Countersign
  # The codes of the service, as docs/errors.md lists them. All others are the API's own.
  SERVICE_CODES = %w[
    request_malformed uri_too_long headers_too_large too_many_failures signature_missing signature_malformed
    parameters_invalid algorithm_not_allowed components_invalid created_expired created_in_future date_invalid
    date_mismatch signature_invalid client_disabled network_not_allowed permission_denied rate_limited
    body_too_large digest_missing digest_malformed digest_mismatch signature_replayed not_found
    method_not_allowed content_type_unsupported body_invalid query_invalid cursor_invalid
    payment_not_cancellable private_key_refused permission_not_held client_id_taken client_state_conflict
    key_registered keys_too_many key_state_conflict network_entry_taken network_entry_last
    network_whitelist_full role_name_taken role_built_in role_in_use precondition_required precondition_failed
    last_owner member_exists invitation_pending invitations_too_many session_required credentials_invalid
    second_factor_invalid second_factor_required step_up_required cross_site_request too_many_attempts
    link_invalid password_too_weak idempotency_key_malformed idempotency_key_in_use idempotency_key_reused
    path_ambiguous body_unseen upgrade_refused upstream_unavailable upstream_failed upstream_busy
    upstream_timeout guard_unavailable guard_full recently_restarted registry_stale storage_unavailable
    outcome_unknown shutting_down request_timeout internal_error
  ].to_set.freeze
end
