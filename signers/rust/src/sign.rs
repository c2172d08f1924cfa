use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{DATE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::error::{Error, ErrorCode, request_invalid};
use crate::seconds::{self, hash_request};
use crate::signer::Signer;
use crate::target::{apply_target, final_target, names_host_as_services_do};

/// RSASSA-PKCS1-v1_5 with SHA-256, by its name in RFC 9421 section 6.2.2.
const ALGORITHM: &str = "rsa-v1_5-sha256";
/// Limits how far `created` runs ahead of the clock; the service allows 60 seconds.
const AHEAD_SECONDS_MAX: i64 = 30;
/// How often a request waits for the next second, when too many equal ones are ahead.
const WAITS_MAX: usize = 30;
/// Services accept equal reads for two seconds, which leaves one for the way.
const EQUAL_READS: Duration = Duration::from_secs(1);
/// The longest URL that services accept.
const TARGET_LENGTH_MAX: usize = 8492;
/// The last second of the year 9999, the last one that `Date` can express.
const CREATED_MAX: i64 = 253_402_300_799;

pub(crate) const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");
pub(crate) const SIGNATURE_INPUT: HeaderName = HeaderName::from_static("signature-input");
pub(crate) const SIGNATURE: HeaderName = HeaderName::from_static("signature");

/// A signed request: send exactly this method, with the URL and the body that were signed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Signed {
    /// The method, in upper case.
    pub method: String,
    /// The headers to add: `Signature-Input`, `Signature`, `Date` unless it is not covered, and `Content-Digest` if there
    /// is a body.
    pub headers: HeaderMap,
    /// The time of the signature, in Unix seconds.
    pub created: i64,
    /// The text that was signed (RFC 9421 section 2.5), for display and comparison.
    pub base: String,
}

impl Signer {
    /// Signs a request that you send yourself. Sign each attempt again: a signature is accepted once.
    ///
    /// Equal reads (GET, HEAD, OPTIONS) share a second, as services allow. Other equal requests get one each, at most 30 ahead;
    /// when none is left, this blocks until the next second, up to 30 seconds.
    ///
    /// The URL must be as sent: absolute, percent-encoded, with a path, without user information and fragment. An empty
    /// body is no body.
    pub fn sign(&self, method: &str, url: &str, body: &[u8]) -> Result<Signed, Error> {
        let covered = Covered { method: method.to_ascii_uppercase(), url: url.to_owned(), content_digest: None };
        self.sign_covered(covered, body)
    }

    /// Signs a request whose URI is absolute, and replaces any earlier signature. The method becomes upper case, and what
    /// HTTP clients would send raw in the path and the query is percent-encoded. Send the request unchanged.
    ///
    /// A `Host` header counts instead of the URI's host, because the service sees nothing else.
    pub fn sign_request<B: AsRef<[u8]>>(&self, request: &mut Request<B>) -> Result<(), Error> {
        let target = final_target(request.uri(), request.headers())?;
        let signed = self.sign(request.method().as_str(), &target.url, request.body().as_ref())?;
        *request.method_mut() =
            Method::from_bytes(signed.method.as_bytes()).map_err(|_| request_invalid("the method is not a token"))?;
        *request.uri_mut() = apply_target(&target, request.headers_mut())?;
        replace_signature(request.headers_mut(), &signed);
        Ok(())
    }

    fn sign_covered(&self, mut covered: Covered, body: &[u8]) -> Result<Signed, Error> {
        covered.check()?;
        if body.len() > self.0.body_bytes_max {
            return Err(self.body_too_large());
        }
        if !body.is_empty() {
            covered.content_digest = Some(content_digest(body));
        }
        let created = self.take_second(&covered)?;
        self.sign_at(&covered, created, created)
    }

    pub(crate) fn body_too_large(&self) -> Error {
        let limit = self.0.body_bytes_max;
        Error::new(
            ErrorCode::BodyTooLarge,
            format!("the body has more than {limit} bytes: send less, or raise body_bytes_max"),
        )
    }

    /// Returns a second for a request, and waits for one if it has to.
    fn take_second(&self, covered: &Covered) -> Result<i64, Error> {
        if self.0.nonce {
            return Ok(self.service_seconds()); // no two signatures are equal
        }
        let content_digest = covered.content_digest.as_deref().unwrap_or_default();
        let hash = hash_request(&self.0.client_id, &covered.method, &covered.url, content_digest);
        for _ in 0..WAITS_MAX {
            let now = self.service_seconds();
            if let Some(second) = self.free_second(&hash, &covered.method, now)? {
                return Ok(second);
            }
            std::thread::sleep(until_next_second());
            if self.service_seconds() == now {
                break; // a clock that stands still frees no second
            }
        }
        let last = self.free_second(&hash, &covered.method, self.service_seconds())?;
        last.ok_or_else(|| {
            Error::new(
                ErrorCode::TooManyEqualRequests,
                format!(
                    "more than {AHEAD_SECONDS_MAX} identical requests ahead: at most one a second can be signed in the long \
                     run; send fewer, or make them differ, for example by a query parameter"
                ),
            )
        })
    }

    /// Returns the first second, from now on, in which this process, and every process that shares the folder, has not
    /// signed the same request. Equal reads share one.
    fn free_second(&self, hash: &str, method: &str, now: i64) -> Result<Option<i64>, Error> {
        let is_shared = self.shares_seconds(method);
        let shared_for = if is_shared { EQUAL_READS } else { Duration::ZERO };
        for second in now..=now + AHEAD_SECONDS_MAX {
            if !seconds::take(self.0.own_seconds.as_ref(), hash, second, shared_for) {
                continue;
            }
            match &self.0.shared {
                Some(folder) if !is_shared && !folder.take(hash, second)? => continue,
                _ => return Ok(Some(second)),
            }
        }
        Ok(None)
    }

    /// Signs with given times. They are equal, except in tests.
    fn sign_at(&self, covered: &Covered, created: i64, date: i64) -> Result<Signed, Error> {
        let mut headers = HeaderMap::new();
        let mut components = vec!["\"@method\"", "\"@target-uri\""];
        let mut lines = vec![format!("\"@method\": {}", covered.method), format!("\"@target-uri\": {}", covered.url)];
        if let Some(content_digest) = &covered.content_digest {
            components.push("\"content-digest\"");
            lines.push(format!("\"content-digest\": {content_digest}"));
            headers.insert(CONTENT_DIGEST, header_value(content_digest)?);
        }
        if self.0.cover_date {
            let text = http_date(date)?;
            components.push("\"date\"");
            lines.push(format!("\"date\": {text}"));
            headers.insert(DATE, header_value(&text)?);
        }
        let mut params = format!(
            "({});created={created};keyid=\"{}\";alg=\"{ALGORITHM}\"",
            components.join(" "),
            escape_string(&self.0.client_id)
        );
        if self.0.nonce {
            params += &format!(";nonce=\"{}\"", random_nonce()?);
        }
        lines.push(format!("\"@signature-params\": {params}"));
        let base = lines.join("\n");
        let signature = self.0.key.sign(base.as_bytes())?;
        headers.insert(SIGNATURE_INPUT, header_value(&format!("sig={params}"))?);
        headers.insert(SIGNATURE, header_value(&format!("sig=:{}:", STANDARD.encode(signature)))?);
        Ok(Signed { method: covered.method.clone(), headers, created, base })
    }
}

/// A little more than what is left of this second, because some clocks are coarse.
fn until_next_second() -> Duration {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Duration::from_millis(1005) - Duration::from_millis(u64::from(since_epoch.subsec_millis()))
}

/// The parts of a request that a signature covers, in their final form.
struct Covered {
    method: String,
    url: String,
    content_digest: Option<String>,
}

impl Covered {
    fn check(&self) -> Result<(), Error> {
        if !is_token(&self.method) {
            return Err(request_invalid("the method is not a token such as GET"));
        }
        if self.method == "CONNECT" {
            return Err(request_invalid("a CONNECT request has no URL to sign"));
        }
        if self.url.len() > TARGET_LENGTH_MAX {
            return Err(request_invalid(format!(
                "the URL has more than {TARGET_LENGTH_MAX} characters; send long data in the body"
            )));
        }
        if !is_absolute_url(&self.url) {
            return Err(request_invalid(if self.url.contains('#') {
                "remove the fragment (#…) from the URL; it is never sent"
            } else {
                "the URL must be absolute, http or https, with a path, percent-encoded, and without user information"
            }));
        }
        if !names_host_as_services_do(&self.url) {
            return Err(request_invalid(
                "write the URL's host in lower case and without the default port, as services compare it",
            ));
        }
        Ok(())
    }
}

/// Checks a method (RFC 9110 section 5.6.2).
pub(crate) fn is_token(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+.^_`|~-".contains(&byte))
}

/// Checks for scheme, host and path in visible ASCII, without user information.
pub(crate) fn is_absolute_url(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else {
        return false;
    };
    let Some((host, _)) = rest.split_once('/') else {
        return false;
    };
    !host.is_empty() && !host.contains(['?', '@', '\\']) && is_visible(rest) && !rest.contains('#')
}

pub(crate) fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Formats the Content-Digest field of a body (RFC 9530 section 2).
pub(crate) fn content_digest(body: &[u8]) -> String {
    format!("sha-256=:{}:", STANDARD.encode(digest(&SHA256, body)))
}

pub(crate) fn replace_signature(headers: &mut HeaderMap, signed: &Signed) {
    for name in [CONTENT_DIGEST, DATE, SIGNATURE_INPUT, SIGNATURE] {
        headers.remove(name);
    }
    headers.extend(signed.headers.clone());
}

fn header_value(text: &str) -> Result<HeaderValue, Error> {
    HeaderValue::from_str(text)
        .map_err(|source| Error::with_source(ErrorCode::SigningFailed, "a header cannot be written", source))
}

fn http_date(seconds: i64) -> Result<String, Error> {
    match u64::try_from(seconds) {
        Ok(unsigned) if seconds <= CREATED_MAX => {
            Ok(httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(unsigned)))
        }
        _ => Err(request_invalid("the clock is outside of the years 1970 to 9999")),
    }
}

/// Escapes a structured-field String (RFC 8941 section 3.3.3).
fn escape_string(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn random_nonce() -> Result<String, Error> {
    let mut bytes = [0; 18];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| Error::new(ErrorCode::SigningFailed, "the system has no random numbers"))?;
    Ok(STANDARD.encode(bytes))
}

#[cfg(test)]
#[path = "vectors_test.rs"]
mod vectors_test;
