use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ring::rand::{SecureRandom, SystemRandom};

use crate::error::{Error, repeat_not_signed};
use crate::refusal::Refusal;

/// The attempts of one call, in its extensions: what repeats a payment around the signing gets no second signature for it.
#[derive(Clone, Default)]
pub(crate) struct Attempts(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// What was sent, and may have been carried out, by method and URL.
    unknown: HashMap<String, Unknown>,
    idempotency_key: Option<String>,
}

struct Unknown {
    /// Empty without one.
    idempotency_key: String,
    attempts: usize,
}

/// Whether sending a request twice can do something twice (RFC 9110 section 9.2.2).
pub(crate) fn is_unsafe(method: &str) -> bool {
    !["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].iter().any(|safe| safe.eq_ignore_ascii_case(method))
}

/// Whether a refusal means that the request did not reach the API.
fn proves_nothing_was_done(refusal: &Refusal) -> bool {
    !matches!(
        refusal.code.as_str(),
        "signature_replayed"
            | "upstream_failed"
            | "upstream_timeout"
            | "outcome_unknown"
            | "request_timeout"
            | "internal_error"
    )
}

impl Attempts {
    /// Begins an attempt, and refuses it if an earlier one may have been carried out: only the key of that one keeps the API
    /// from doing it twice. What follows a redirect is no repeat.
    pub(crate) fn begin(
        &self,
        method: &str,
        url: &str,
        idempotency_key: &str,
        follows_redirect: bool,
    ) -> Result<(), Error> {
        if !is_unsafe(method) {
            return Ok(());
        }
        self.state(|state| {
            let new = || Unknown { idempotency_key: idempotency_key.to_owned(), attempts: 0 };
            let earlier = state.unknown.entry(name(method, url)).or_insert_with(new);
            let is_protected = !idempotency_key.is_empty() && idempotency_key == earlier.idempotency_key;
            if earlier.attempts > 0 && !is_protected && !follows_redirect {
                return Err(repeat_not_signed(method));
            }
            earlier.attempts += 1;
            Ok(())
        })
    }

    /// Notes what a response says about the request.
    pub(crate) fn answered(&self, method: &str, url: &str, status: u16, refusal: Option<&Refusal>) {
        if is_unsafe(method) && status < 300 {
            // The program may use the same extensions for its next call.
            self.state(|state| *state = State::default());
        } else if refusal.is_some_and(proves_nothing_was_done) {
            self.settle(method, url);
        }
    }

    /// Notes that one attempt was not carried out. Earlier ones may have been.
    pub(crate) fn settle(&self, method: &str, url: &str) {
        self.state(|state| {
            let name = name(method, url);
            if let Some(earlier) = state.unknown.get_mut(&name) {
                earlier.attempts = earlier.attempts.saturating_sub(1);
                if earlier.attempts == 0 {
                    state.unknown.remove(&name);
                }
            }
        });
    }

    /// Returns the `Idempotency-Key` of this call, a version 4 UUID.
    pub(crate) fn idempotency_key(&self) -> String {
        self.state(|state| state.idempotency_key.get_or_insert_with(random_uuid).clone())
    }

    fn state<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn name(method: &str, url: &str) -> String {
    format!("{} {url}", method.to_ascii_uppercase())
}

fn random_uuid() -> String {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).expect("the system's random numbers");
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
