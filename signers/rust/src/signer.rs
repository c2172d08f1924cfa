use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::builder::SignerBuilder;
use crate::key::KeySource;
use crate::refusal::Refusal;
use crate::seconds::{SharedFolder, UsedSeconds};

/// Keeps a service from having signatures made for the far future.
const CLOCK_CORRECTION_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Signs requests for one client. Clones share everything; threads and tasks may use it at the same time.
#[derive(Clone)]
pub struct Signer(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) client_id: String,
    pub(crate) key: KeySource,
    pub(crate) cover_date: bool,
    pub(crate) nonce: bool,
    pub(crate) body_bytes_max: usize,
    #[cfg(feature = "reqwest")]
    pub(crate) refusals_as_errors: bool,
    #[cfg(feature = "reqwest")]
    pub(crate) idempotency_keys: bool,
    pub(crate) now: Box<dyn Fn() -> SystemTime + Send + Sync>,
    /// Learned from a refusal.
    pub(crate) clock_offset_ms: AtomicI64,
    /// Unix milliseconds until which the service is taken to accept equal reads once; learned from a refusal.
    pub(crate) strict_until_ms: AtomicI64,
    /// None: the seconds that all signers of the process share.
    pub(crate) own_seconds: Option<Mutex<UsedSeconds>>,
    pub(crate) shared: Option<SharedFolder>,
}

impl fmt::Debug for Signer {
    /// Leaves the key out.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Signer").field("client_id", &self.0.client_id).finish_non_exhaustive()
    }
}

impl Signer {
    /// Starts with the client ID from the portal. It becomes the `keyid` of every signature.
    pub fn builder(client_id: impl Into<String>) -> SignerBuilder {
        SignerBuilder::new(client_id.into())
    }

    /// Takes over the service's clock if a refusal is about the time and the clocks differ by at most a day, and returns
    /// whether it did. Then sign and send the request again, once.
    pub fn correct_clock(&self, refusal: &Refusal) -> bool {
        if !matches!(refusal.code.as_str(), "created_expired" | "created_in_future" | "date_mismatch") {
            return false;
        }
        let Some(server_time) = refusal.server_time else {
            return false;
        };
        let offset = milliseconds(server_time) - milliseconds((self.0.now)());
        if u128::from(offset.unsigned_abs()) > CLOCK_CORRECTION_MAX.as_millis() {
            return false;
        }
        self.0.clock_offset_ms.store(offset, Ordering::Relaxed);
        true
    }

    /// Gives each read a second of its own for a while if one was refused for sharing it, and returns whether it does. Then
    /// sign and send the request again, once.
    pub fn change_second(&self, method: &str, refusal: &Refusal) -> bool {
        if refusal.code != "signature_replayed" || !is_read(&method.to_ascii_uppercase()) {
            return false;
        }
        let until = milliseconds((self.0.now)()) + STRICT_MS;
        self.0.strict_until_ms.store(until, Ordering::Relaxed);
        true
    }

    /// Whether services accept equal requests with this method for a while.
    pub(crate) fn shares_seconds(&self, method: &str) -> bool {
        is_read(method) && milliseconds((self.0.now)()) >= self.0.strict_until_ms.load(Ordering::Relaxed)
    }

    /// The service's clock, as far as it is known, in Unix seconds.
    pub(crate) fn service_seconds(&self) -> i64 {
        let offset = self.0.clock_offset_ms.load(Ordering::Relaxed);
        (milliseconds((self.0.now)()) + offset).div_euclid(1000)
    }
}

/// How long each read gets a second of its own after one was refused for sharing it. A read that came late is refused for that
/// too, and nobody can poll twice a second for long with a second for each read.
const STRICT_MS: i64 = 10_000;

fn is_read(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS")
}

/// Unix milliseconds; times outside of the years that a signature can have become the first one.
fn milliseconds(time: SystemTime) -> i64 {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or_default()
}
