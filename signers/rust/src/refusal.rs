use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::StatusCode;
use http::header::{CONTENT_TYPE, DATE, HeaderMap, WWW_AUTHENTICATE};
use serde_json::Value;

use crate::codes::is_service_code;

/// The service's answer to a request that it rejected. Match on `code`; texts may change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The HTTP status.
    pub status: StatusCode,
    /// One of the service's error codes, such as `signature_invalid`.
    pub code: String,
    /// Says what happened.
    pub title: String,
    /// Says what to do.
    pub detail: String,
    /// Says what is wrong with this request, if the service tells.
    pub reason: Option<String>,
    /// Identifies the request in the service's log.
    pub request_id: Option<String>,
    /// The service's clock, with errors about the time.
    pub server_time: Option<SystemTime>,
    /// The address of the code's documentation.
    pub problem_type: String,
}

impl Refusal {
    /// Reads a response; None if it is not one of the service's refusals. The answer to HEAD has no body: pass an empty
    /// one, and the code is taken from the headers.
    pub fn from_response(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Option<Self> {
        if !is_problem(status, headers) {
            return None;
        }
        if body.is_empty() {
            return Self::from_head(status, headers);
        }
        let problem: Value = serde_json::from_slice(body).ok()?;
        let text = |name: &str| problem.get(name).and_then(Value::as_str).map(str::to_owned);
        let code = text("code").filter(|code| is_service_code(code))?;
        let problem_type = text("type").unwrap_or_default();
        // The page of its code. An API may use such a code in problem documents of its own.
        if !problem_type.ends_with(&format!("/docs/errors#{code}")) {
            return None;
        }
        Some(Self {
            status,
            code,
            title: text("title").unwrap_or_default(),
            detail: text("detail").unwrap_or_default(),
            reason: text("reason"),
            request_id: text("requestId"),
            server_time: text("serverTime").and_then(|time| parse_time(&time)),
            problem_type,
        })
    }

    /// Whether it stays a response, because retrying middleware knows its status: 429 and 503.
    #[cfg(feature = "reqwest")]
    pub(crate) fn is_temporary(&self) -> bool {
        matches!(self.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
    }

    fn from_head(status: StatusCode, headers: &HeaderMap) -> Option<Self> {
        let challenge = headers.get(WWW_AUTHENTICATE)?.to_str().ok()?;
        let code = challenge.strip_prefix("Signature error=\"")?.strip_suffix('"')?;
        let date = headers.get(DATE).and_then(|value| value.to_str().ok());
        is_service_code(code).then(|| Self {
            status,
            code: code.to_owned(),
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            detail: String::new(),
            reason: None,
            request_id: None,
            server_time: date.and_then(|text| httpdate::parse_http_date(text).ok()),
            problem_type: String::new(),
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:", self.code)?;
        let reason = self.reason.as_deref().unwrap_or_default();
        for text in [&self.title, reason, &self.detail].into_iter().filter(|text| !text.is_empty()) {
            let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
            write!(formatter, " {text}{stop}")?;
        }
        if self.code == "signature_replayed" {
            let hint = "The first request with this signature may have been accepted: look it up before sending again.";
            write!(formatter, " {hint}")?;
        }
        match &self.request_id {
            Some(request_id) => write!(formatter, " ({request_id})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

/// Whether a response may be a refusal, by its head.
pub(crate) fn is_problem(status: StatusCode, headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    (status.is_client_error() || status.is_server_error()) && essence.eq_ignore_ascii_case("application/problem+json")
}

/// Reads the service's times, such as `2026-11-21T00:01:58.250Z`.
fn parse_time(text: &str) -> Option<SystemTime> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut time = time.splitn(3, ':').map(str::parse::<u64>);
    let (hour, minute, second) = (time.next()?.ok()?, time.next()?.ok()?, time.next()?.ok()?);
    let is_valid = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_valid || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let millis: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let seconds = u64::try_from(days_since_epoch(year, month, day)).ok()? * 86_400 + hour * 3600 + minute * 60 + second;
    Some(UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_millis(millis))
}

/// Counts days in years that begin in March, so that leap days come last.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times_of_the_service() {
        for (text, date) in [
            ("1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
            ("2024-02-29T23:59:59.999Z", "Thu, 29 Feb 2024 23:59:59 GMT"),
            ("2026-11-21T00:01:58.250Z", "Sat, 21 Nov 2026 00:01:58 GMT"),
            ("2100-03-01T12:00:00.0Z", "Mon, 01 Mar 2100 12:00:00 GMT"),
        ] {
            assert_eq!(parse_time(text).map(httpdate::fmt_http_date).as_deref(), Some(date));
        }
        let exact = parse_time("1970-01-01T00:00:01.25Z");
        assert_eq!(exact, Some(UNIX_EPOCH + Duration::from_millis(1250)));
        for text in ["", "2026-11-21", "2026-11-21T00:01:58", "2026-13-21T00:01:58Z", "2026-11-21T24:01:58Z", "xT:Z"] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
