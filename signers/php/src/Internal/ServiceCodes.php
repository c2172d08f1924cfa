<?php

declare(strict_types=1);

namespace Countersign\Internal;

/**
 * The codes with which the service itself refuses a request, before or in place of the API's answer. An operation's own
 * errors, such as `not_found`, are ordinary responses. docs/errors.md explains all codes.
 *
 * @internal
 */
final class ServiceCodes
{
    public const ALL = [
        'request_malformed',
        'uri_too_long',
        'headers_too_large',
        'too_many_failures',
        'signature_missing',
        'signature_malformed',
        'signature_not_selected',
        'signature_ambiguous',
        'parameters_invalid',
        'algorithm_not_allowed',
        'components_invalid',
        'created_expired',
        'created_in_future',
        'signature_expired',
        'date_invalid',
        'date_mismatch',
        'signature_invalid',
        'directory_mismatch',
        'profile_not_accepted',
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
    ];
}
