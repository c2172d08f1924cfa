use std::error::Error as StdError;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use crate::error::{Error, ErrorCode};
use crate::key::{FileKey, FunctionKey, KeySource, PairKey};
use crate::key_text::read_private_key;
use crate::seconds::{SharedFolder, UsedSeconds};
use crate::sign::is_visible;
use crate::signer::{Inner, Signer};

const BODY_BYTES_MAX: usize = 10 << 20;
const KEYID_LENGTH_MAX: usize = 256;

/// Configures a [`Signer`]. Exactly one of [`private_key`](Self::private_key),
/// [`private_key_file`](Self::private_key_file) and [`sign_with`](Self::sign_with) is required.
#[must_use = "a builder does nothing until `build`"]
pub struct SignerBuilder {
    client_id: String,
    keys: Vec<GivenKey>,
    passphrase: Option<String>,
    cover_date: bool,
    nonce: bool,
    body_bytes_max: usize,
    shared_folder: Option<PathBuf>,
    refusals_as_errors: bool,
    idempotency_keys: bool,
    now: Option<Box<dyn Fn() -> SystemTime + Send + Sync>>,
}

enum GivenKey {
    Text(String),
    File(PathBuf),
    Function(FunctionKey),
}

impl fmt::Debug for SignerBuilder {
    /// Leaves the key and the passphrase out.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SignerBuilder").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

impl SignerBuilder {
    pub(crate) fn new(client_id: String) -> Self {
        Self {
            client_id,
            keys: Vec::new(),
            passphrase: None,
            cover_date: true,
            nonce: false,
            body_bytes_max: BODY_BYTES_MAX,
            shared_folder: None,
            refusals_as_errors: true,
            idempotency_keys: false,
            now: None,
        }
    }

    /// Signs with a key from a text: PKCS#8 or PKCS#1, PEM or bare Base64, RSA with 2048 to 4096 bits. Encrypted PKCS#8
    /// needs the feature `encrypted-keys`.
    pub fn private_key(mut self, text: impl Into<String>) -> Self {
        self.keys.push(GivenKey::Text(text.into()));
        self
    }

    /// Signs with the key in a file, in the same forms. A change takes effect within a second; while the file is missing
    /// or unreadable, the previous key stays in use.
    pub fn private_key_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.keys.push(GivenKey::File(path.into()));
        self
    }

    /// Signs with a function, for example of an HSM or a key management service. It gets the message and returns its
    /// RSASSA-PKCS1-v1_5 signature with SHA-256. The client of the feature `reqwest` calls it where it may block.
    pub fn sign_with<F>(mut self, function: F) -> Self
    where
        F: Fn(&[u8]) -> Result<Vec<u8>, Box<dyn StdError + Send + Sync>> + Send + Sync + 'static,
    {
        self.keys.push(GivenKey::Function(Box::new(function)));
        self
    }

    /// Decrypts the private key. Ignored for a key that is not encrypted.
    pub fn passphrase(mut self, passphrase: impl Into<String>) -> Self {
        self.passphrase = Some(passphrase.into());
        self
    }

    /// Sends and signs `Date`. The default is true; turn it off only for a client that is registered to do without.
    pub fn cover_date(mut self, cover_date: bool) -> Self {
        self.cover_date = cover_date;
        self
    }

    /// Adds a random nonce to each signature, for services that require one. The default is false.
    pub fn nonce(mut self, nonce: bool) -> Self {
        self.nonce = nonce;
        self
    }

    /// Limits the body, which is buffered for its digest. The default is 10 MiB.
    pub fn body_bytes_max(mut self, bytes: usize) -> Self {
        self.body_bytes_max = bytes;
        self
    }

    /// Names a folder in which processes with the same key record the seconds they have used, so that equal requests from
    /// several processes get different signatures. It is created if missing.
    pub fn shared_folder(mut self, path: impl Into<PathBuf>) -> Self {
        self.shared_folder = Some(path.into());
        self
    }

    /// Makes a refusal an error rather than an ordinary response. The default is true.
    pub fn refusals_as_errors(mut self, refusals_as_errors: bool) -> Self {
        self.refusals_as_errors = refusals_as_errors;
        self
    }

    /// Adds a random `Idempotency-Key` to each POST, PATCH and unknown method that has none, the same one to all attempts of
    /// a call. The default is false; turn it on only if the API honors the header.
    pub fn idempotency_keys(mut self, idempotency_keys: bool) -> Self {
        self.idempotency_keys = idempotency_keys;
        self
    }

    /// Sets the clock, for tests.
    pub fn now(mut self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.now = Some(Box::new(now));
        self
    }

    /// Returns the signer.
    pub fn build(mut self) -> Result<Signer, Error> {
        if self.client_id.is_empty() || self.client_id.len() > KEYID_LENGTH_MAX || !is_visible(&self.client_id) {
            return Err(Error::new(
                ErrorCode::KeyidInvalid,
                format!(
                    "the client ID must be the one from the portal: 1 to {KEYID_LENGTH_MAX} visible ASCII characters without spaces"
                ),
            ));
        }
        let key = self.take_key()?;
        let shared = self.shared_folder.take().map(SharedFolder::open).transpose()?;
        Ok(Signer(Arc::new(Inner {
            key,
            cover_date: self.cover_date,
            nonce: self.nonce,
            body_bytes_max: self.body_bytes_max,
            #[cfg(feature = "reqwest")]
            refusals_as_errors: self.refusals_as_errors,
            #[cfg(feature = "reqwest")]
            idempotency_keys: self.idempotency_keys,
            // A clock of its own gives seconds of its own.
            own_seconds: self.now.is_some().then(|| Mutex::new(UsedSeconds::default())),
            now: self.now.unwrap_or_else(|| Box::new(SystemTime::now)),
            clock_offset_ms: AtomicI64::new(0),
            strict_until_ms: AtomicI64::new(0),
            shared,
            client_id: self.client_id,
        })))
    }

    fn take_key(&mut self) -> Result<KeySource, Error> {
        let (Some(key), None) = (self.keys.pop(), self.keys.pop()) else {
            return Err(Error::new(
                ErrorCode::PrivateKeyInvalid,
                "set exactly one of private_key, private_key_file and sign_with",
            ));
        };
        let passphrase = self.passphrase.take();
        Ok(match key {
            GivenKey::Text(text) => KeySource::Pair(PairKey::new(read_private_key(&text, passphrase.as_deref())?)),
            GivenKey::File(path) => KeySource::File(FileKey::open(path, passphrase)?),
            GivenKey::Function(function) => KeySource::Function(function),
        })
    }
}
