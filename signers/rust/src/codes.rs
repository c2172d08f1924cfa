/// Tells the service's own problem documents from those of the API behind it.
pub(crate) fn is_service_code(code: &str) -> bool {
    SERVICE_CODES.contains(&code)
}

/// The codes with which the service itself refuses a request, before or in place of the API's answer. An operation's own
/// errors, such as `not_found`, are ordinary responses. A test compares the list with the documentation.
const SERVICE_CODES: &[&str] = &[
    "request_malformed",
    "uri_too_long",
    "headers_too_large",
    "too_many_failures",
    "signature_missing",
    "signature_malformed",
    "signature_not_selected",
    "signature_ambiguous",
    "parameters_invalid",
    "algorithm_not_allowed",
    "components_invalid",
    "created_expired",
    "created_in_future",
    "signature_expired",
    "date_invalid",
    "date_mismatch",
    "signature_invalid",
    "directory_mismatch",
    "profile_not_accepted",
    "client_disabled",
    "account_suspended",
    "network_not_allowed",
    "permission_denied",
    "rate_limited",
    "body_too_large",
    "digest_missing",
    "digest_malformed",
    "digest_mismatch",
    "signature_replayed",
    "path_ambiguous",
    "body_unseen",
    "upgrade_refused",
    "upstream_unavailable",
    "upstream_failed",
    "upstream_busy",
    "upstream_timeout",
    "guard_unavailable",
    "guard_full",
    "recently_restarted",
    "registry_stale",
    "storage_unavailable",
    "outcome_unknown",
    "shutting_down",
    "request_timeout",
    "internal_error",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The sections of the documentation about refusals. The others are about the errors of operations.
    const REFUSING: [&str; 7] = [
        "Framing",
        "The signature headers",
        "The time",
        "The caller",
        "The body",
        "An API behind the gateway",
        "The service itself",
    ];

    #[test]
    fn has_every_code_of_the_service() {
        let document = std::fs::read_to_string("../../docs/errors.md").expect("the document of the codes");
        let mut sections = document.split("\n## ").collect::<Vec<_>>();
        sections.retain(|section| REFUSING.contains(&section.lines().next().unwrap_or_default()));
        assert_eq!(sections.len(), REFUSING.len());
        let documented: Vec<_> = sections
            .iter()
            .flat_map(|section| section.lines())
            .filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'))
            .collect();
        assert_eq!(documented, SERVICE_CODES);
    }
}
