//! Verifies requests in the tests of your own program, without a service.
//!
//! The verifier checks what a service checks about a request alone and answers with the service's codes. It is not meant to
//! protect an API: it knows one client, and it remembers signatures without a limit.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::DATE;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};

use crate::error::{Error, ErrorCode};
use crate::sign::{CONTENT_DIGEST, content_digest, is_absolute_url, is_token, is_visible};
use fields::{BareItem, SignatureInput, read_fields};

mod fields;
mod public_key;

const MAX_AGE_SECONDS: i64 = 300;
const MAX_FUTURE_SECONDS: i64 = 60;
const MAX_DATE_DIFFERENCE_SECONDS: i64 = 60;
const TARGET_LENGTH_MAX: usize = 8492;
const EQUAL_READS: Duration = Duration::from_secs(2);
const KEYID_LENGTH_MAX: usize = 256;

/// Whether signatures carry a nonce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoncePolicy {
    /// Rejects a nonce. This is the default of services.
    #[default]
    Off,
    /// Accepts signatures with and without a nonce.
    Optional,
    /// Rejects signatures without a nonce.
    Required,
}

/// Verifies the requests of one client.
pub struct Verifier {
    client_id: String,
    /// DER RSAPublicKey.
    public_key: Vec<u8>,
    accept_without_date: bool,
    strict: bool,
    nonce: NoncePolicy,
    now: Box<dyn Fn() -> SystemTime + Send + Sync>,
    /// When each signature was first used.
    used: Mutex<HashMap<Vec<u8>, Instant>>,
}

/// A request as received.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// The method as received.
    pub method: &'a str,
    /// The origin that was called, followed by the raw request target.
    pub url: &'a str,
    /// All header lines.
    pub headers: &'a HeaderMap,
    /// The bytes as received.
    pub body: &'a [u8],
}

/// Says why a request was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The code with which a service answers.
    pub code: &'static str,
    /// Says more than a service tells about a signature that does not verify.
    pub reason: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.reason)
    }
}

impl std::error::Error for Rejection {}

pub(crate) fn reject(code: &'static str, reason: impl Into<String>) -> Rejection {
    Rejection { code, reason: reason.into() }
}

impl Verifier {
    /// Returns a verifier for one client. The public key is PEM or bare Base64, RSA, 2048 to 8192 bits, exponent 65537.
    pub fn new(client_id: impl Into<String>, public_key: &str) -> Result<Self, Error> {
        let public_key = public_key::read(public_key).ok_or_else(|| {
            Error::new(
                ErrorCode::PrivateKeyInvalid,
                "the public key must be an RSA key of 2048 to 8192 bits with the exponent 65537, as PEM or Base64",
            )
        })?;
        Ok(Self {
            client_id: client_id.into(),
            public_key,
            accept_without_date: false,
            strict: false,
            nonce: NoncePolicy::default(),
            now: Box::new(SystemTime::now),
            used: Mutex::default(),
        })
    }

    /// Accepts signatures that do not cover `Date`, as for a client registered to do without.
    pub fn accept_without_date(mut self) -> Self {
        self.accept_without_date = true;
        self
    }

    /// Accepts no signature twice, as a service does that is set so.
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Sets whether signatures carry a nonce.
    pub fn nonce(mut self, policy: NoncePolicy) -> Self {
        self.nonce = policy;
        self
    }

    /// Sets the service's clock. The default is the system's.
    pub fn now(mut self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.now = Box::new(now);
        self
    }

    /// Checks, in the service's order, the method and URL, the signature fields, the time, the signature, the digest and
    /// that the signature is new. An equal GET, HEAD or OPTIONS is accepted for two seconds, unless the verifier is strict.
    ///
    /// It does not check whether a client is active, its networks, permissions and rate.
    pub fn verify(&self, request: Received<'_>) -> Result<(), Rejection> {
        check_target(request.method, request.url)?;
        let (input, signature) = read_fields(request.headers)?;
        let created = self.check_parameters(&input)?;
        let covers = check_components(&input.components, !request.body.is_empty())?;
        let date = self.check_time(created, covers, request.headers)?;
        let digest = check_digest_form(covers, request.headers)?;
        let base = signature_base(&request, digest.as_deref(), date.as_deref(), &input.text);
        self.check_signature(input.string("keyid"), &base, &signature)?;
        if !covers.date && !self.accept_without_date {
            return Err(reject("components_invalid", "\"date\" is not covered, and accept_without_date is not set"));
        }
        if digest.is_some_and(|digest| digest != content_digest(request.body)) {
            let length = request.body.len();
            return Err(reject(
                "digest_mismatch",
                format!("Content-Digest is not the digest of the {length} bytes that were received"),
            ));
        }
        if !self.is_new(request.method, signature) {
            return Err(reject("signature_replayed", "this signature was used before"));
        }
        Ok(())
    }

    fn is_new(&self, method: &str, signature: Vec<u8>) -> bool {
        let now = Instant::now();
        let may_be_equal = !self.strict && matches!(method, "GET" | "HEAD" | "OPTIONS");
        match self.used.lock().unwrap_or_else(PoisonError::into_inner).entry(signature) {
            Entry::Occupied(first) => may_be_equal && now.duration_since(*first.get()) <= EQUAL_READS,
            Entry::Vacant(entry) => {
                entry.insert(now);
                true
            }
        }
    }

    /// Checks for exactly created, keyid, alg and perhaps nonce, each of its type, and returns created.
    fn check_parameters(&self, input: &SignatureInput) -> Result<i64, Rejection> {
        let invalid = |reason: String| reject("parameters_invalid", reason);
        for (name, item) in &input.parameters {
            let is_right = match name.as_str() {
                "created" => matches!(item, BareItem::Integer(_)),
                "keyid" | "alg" | "nonce" => matches!(item, BareItem::String(_)),
                _ => return Err(invalid(format!("the profile has no parameter \"{name}\""))),
            };
            if !is_right {
                return Err(invalid(format!("the parameter \"{name}\" has the wrong type")));
            }
        }
        if let Some(name) = ["created", "keyid", "alg"].into_iter().find(|name| !input.parameters.contains_key(*name)) {
            return Err(invalid(format!("the parameter \"{name}\" is missing")));
        }
        let keyid = input.string("keyid");
        if keyid.is_empty() || keyid.len() > KEYID_LENGTH_MAX || !is_visible(keyid) {
            return Err(invalid(format!(
                "keyid must have 1 to {KEYID_LENGTH_MAX} visible ASCII characters without spaces"
            )));
        }
        let nonce = input.parameters.contains_key("nonce").then(|| input.string("nonce"));
        match (nonce, self.nonce) {
            (Some(_), NoncePolicy::Off) => {
                return Err(invalid("the parameter \"nonce\" is not allowed".into()));
            }
            (None, NoncePolicy::Required) => {
                return Err(invalid("the parameter \"nonce\" is missing".into()));
            }
            (Some(text), _) if !(16..=64).contains(&text.len()) || !is_visible(text) => {
                return Err(invalid("the nonce must have 16 to 64 visible characters".into()));
            }
            _ => {}
        }
        let alg = input.string("alg");
        if alg != "rsa-v1_5-sha256" {
            return Err(reject("algorithm_not_allowed", format!("alg is \"{alg}\", not rsa-v1_5-sha256")));
        }
        match input.parameters.get("created") {
            Some(BareItem::Integer(created)) => Ok(*created),
            _ => Err(invalid("the parameter \"created\" is missing".into())),
        }
    }

    /// Returns the Date header if it is covered.
    fn check_time(&self, created: i64, covers: Coverage, headers: &HeaderMap) -> Result<Option<String>, Rejection> {
        let now = unix_seconds((self.now)());
        let age = now - created;
        if age > MAX_AGE_SECONDS {
            return Err(reject("created_expired", format!("created is {age} s old; the limit is {MAX_AGE_SECONDS} s")));
        }
        if -age > MAX_FUTURE_SECONDS {
            let ahead = -age;
            return Err(reject(
                "created_in_future",
                format!("created is {ahead} s ahead; the limit is {MAX_FUTURE_SECONDS} s"),
            ));
        }
        if !covers.date {
            return Ok(None);
        }
        let mut lines = headers.get_all(DATE).iter();
        let (Some(line), None) = (lines.next(), lines.next()) else {
            return Err(reject("date_invalid", "there is not exactly one Date header"));
        };
        let text = line.to_str().unwrap_or_default().trim_matches([' ', '\t']);
        // Parsing is lenient, so the text must survive a round trip.
        let time = httpdate::parse_http_date(text)
            .ok()
            .filter(|time| httpdate::fmt_http_date(*time) == text)
            .ok_or_else(|| reject("date_invalid", "the Date header is not an IMF-fixdate"))?;
        let apart = (unix_seconds(time) - created).abs();
        if apart > MAX_DATE_DIFFERENCE_SECONDS {
            return Err(reject(
                "date_mismatch",
                format!("Date and created are {apart} s apart; the limit is {MAX_DATE_DIFFERENCE_SECONDS} s"),
            ));
        }
        Ok(Some(text.to_owned()))
    }

    fn check_signature(&self, keyid: &str, base: &str, signature: &[u8]) -> Result<(), Rejection> {
        if keyid != self.client_id {
            let client_id = &self.client_id;
            return Err(reject(
                "signature_invalid",
                format!("the keyid is \"{keyid}\", not the client ID \"{client_id}\""),
            ));
        }
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &self.public_key)
            .verify(base.as_bytes(), signature)
            .map_err(|_| {
                reject(
                    "signature_invalid",
                    format!("the public key does not verify the signature over this base:\n{base}"),
                )
            })
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Verifier").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

fn check_target(method: &str, url: &str) -> Result<(), Rejection> {
    if !is_token(method) {
        return Err(reject("request_malformed", "the method is not a token"));
    }
    if url.len() > TARGET_LENGTH_MAX || !is_absolute_url(url) {
        return Err(reject(
            "request_malformed",
            "the URL is too long, or not an absolute http or https URL with a path, in visible ASCII",
        ));
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Coverage {
    content_digest: bool,
    date: bool,
}

fn check_components(components: &str, has_body: bool) -> Result<Coverage, Rejection> {
    let covers = match components {
        r#"("@method" "@target-uri" "content-digest" "date")"# => Coverage { content_digest: true, date: true },
        r#"("@method" "@target-uri" "date")"# => Coverage { content_digest: false, date: true },
        r#"("@method" "@target-uri" "content-digest")"# => Coverage { content_digest: true, date: false },
        r#"("@method" "@target-uri")"# => Coverage { content_digest: false, date: false },
        _ => {
            return Err(reject(
                "components_invalid",
                format!("the covered components {components} are not those of the profile"),
            ));
        }
    };
    if covers.content_digest != has_body {
        let when = if has_body { "because there is a body" } else { "only when there is a body" };
        return Err(reject("components_invalid", format!("\"content-digest\" must be covered {when}")));
    }
    Ok(covers)
}

/// Returns the Content-Digest header if it is covered.
fn check_digest_form(covers: Coverage, headers: &HeaderMap) -> Result<Option<String>, Rejection> {
    if !covers.content_digest {
        return Ok(None);
    }
    let mut lines = headers.get_all(CONTENT_DIGEST).iter();
    let Some(line) = lines.next() else {
        return Err(reject("digest_missing", "the Content-Digest header is covered but missing"));
    };
    let text = line.to_str().unwrap_or_default().trim_matches([' ', '\t']);
    let encoded = text.strip_prefix("sha-256=:").and_then(|rest| rest.strip_suffix(':'));
    let is_digest = encoded.and_then(|encoded| STANDARD.decode(encoded).ok()).is_some_and(|bytes| bytes.len() == 32);
    if lines.next().is_some() || !is_digest {
        return Err(reject("digest_malformed", "Content-Digest is not one sha-256 digest"));
    }
    Ok(Some(text.to_owned()))
}

fn signature_base(request: &Received<'_>, digest: Option<&str>, date: Option<&str>, parameters: &str) -> String {
    let mut lines = vec![format!("\"@method\": {}", request.method), format!("\"@target-uri\": {}", request.url)];
    lines.extend(digest.map(|digest| format!("\"content-digest\": {digest}")));
    lines.extend(date.map(|date| format!("\"date\": {date}")));
    lines.push(format!("\"@signature-params\": {parameters}"));
    lines.join("\n")
}

fn unix_seconds(time: SystemTime) -> i64 {
    let elapsed = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
}
