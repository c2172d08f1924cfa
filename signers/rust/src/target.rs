use http::Uri;
use http::header::{HOST, HeaderMap, HeaderValue};

use crate::error::{Error, request_invalid};

/// A URL in the form that goes over the wire.
pub(crate) struct Target {
    pub(crate) url: String,
    /// The URL to connect to, with the path and query of `url`.
    uri: String,
    /// The value of the Host header.
    host: String,
}

/// Gives a request's URL the form that HTTP clients send unchanged. The Host header counts, not the host that is connected
/// to, because the service sees nothing else.
pub(crate) fn final_target(uri: &Uri, headers: &HeaderMap) -> Result<Target, Error> {
    let (Some(scheme @ ("http" | "https")), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(request_invalid("the URL must be absolute, with http or https"));
    };
    let given = match headers.get(HOST) {
        Some(value) => value.to_str().map_err(|_| request_invalid("the Host header must be in ASCII"))?,
        None => authority.as_str(),
    };
    let host = canonical_host(scheme, given);
    if host.contains(['/', '?', '#', '@', '\\']) || host.is_empty() {
        return Err(request_invalid("the URL must name a host, without user information"));
    }
    let mut path_and_query = escape(uri.path());
    if let Some(query) = uri.query() {
        path_and_query.push('?');
        path_and_query.push_str(&escape(query));
    }
    Ok(Target {
        url: format!("{scheme}://{host}{path_and_query}"),
        uri: format!("{scheme}://{authority}{path_and_query}"),
        host,
    })
}

/// Returns the URI to send the request to, and sets the Host header if clients would send another one.
pub(crate) fn apply_target(target: &Target, headers: &mut HeaderMap) -> Result<Uri, Error> {
    let uri: Uri = target.uri.parse().map_err(|_| request_invalid("the URL cannot be sent"))?;
    if headers.contains_key(HOST) || uri.authority().is_some_and(|authority| authority.as_str() != target.host) {
        let host = HeaderValue::from_str(&target.host).map_err(|_| request_invalid("the URL's host cannot be sent"))?;
        headers.insert(HOST, host);
    }
    Ok(uri)
}

/// Checks that an absolute URL names its host as services compare it.
pub(crate) fn names_host_as_services_do(url: &str) -> bool {
    url.split_once("://").is_some_and(|(scheme, rest)| {
        let host = rest.split('/').next().unwrap_or_default();
        host == canonical_host(scheme, host)
    })
}

/// Writes a host as services compare it: in lower case and without the scheme's own port.
fn canonical_host(scheme: &str, host: &str) -> String {
    let host = host.to_ascii_lowercase();
    let default_port = if scheme == "https" { ":443" } else { ":80" };
    match host.strip_suffix(default_port) {
        Some(name) if !name.ends_with(':') => name.to_owned(),
        _ => host,
    }
}

/// Percent-encodes what is no visible ASCII character, and leaves what is encoded already as it is.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_graphic() {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}
