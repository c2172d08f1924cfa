use std::error::Error as StdError;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ring::rand::SystemRandom;
use ring::rsa::KeyPair;
use ring::signature::RSA_PKCS1_SHA256;

use crate::error::{Error, ErrorCode};
use crate::key_text::read_private_key;

/// Keeps "within a second" with a margin.
const FILE_CHECK_INTERVAL: Duration = Duration::from_millis(500);

pub(crate) type FunctionKey = Box<dyn Fn(&[u8]) -> Result<Vec<u8>, Box<dyn StdError + Send + Sync>> + Send + Sync>;

/// Makes RSASSA-PKCS1-v1_5 signatures with SHA-256.
pub(crate) enum KeySource {
    Pair(PairKey),
    File(FileKey),
    Function(FunctionKey),
}

impl KeySource {
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        match self {
            Self::Pair(key) => key.sign(message),
            Self::File(file) => file.current().sign(message),
            Self::Function(function) => sign_with(function, message),
        }
    }
}

fn sign_with(function: &FunctionKey, message: &[u8]) -> Result<Vec<u8>, Error> {
    let signature = function(message)
        .map_err(|source| Error::with_source(ErrorCode::SigningFailed, "the signing function failed", source))?;
    if !(256..=1024).contains(&signature.len()) {
        let length = signature.len();
        return Err(Error::new(
            ErrorCode::SigningFailed,
            format!("the signing function returned {length} bytes, which is not an RSA signature"),
        ));
    }
    Ok(signature)
}

#[derive(Clone)]
pub(crate) struct PairKey(Arc<KeyPair>);

impl PairKey {
    pub(crate) fn new(pair: KeyPair) -> Self {
        Self(Arc::new(pair))
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let mut signature = vec![0; self.0.public().modulus_len()];
        self.0
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature)
            .map_err(|_| Error::new(ErrorCode::SigningFailed, "the private key failed to sign"))?;
        Ok(signature)
    }
}

/// Follows a key file.
pub(crate) struct FileKey {
    path: PathBuf,
    passphrase: Option<String>,
    state: Mutex<FileState>,
}

struct FileState {
    checked_at: Instant,
    /// Compared as a whole, because times of files are too coarse for two changes in a row.
    content: String,
    key: PairKey,
}

impl FileKey {
    pub(crate) fn open(path: PathBuf, passphrase: Option<String>) -> Result<Self, Error> {
        let content = read_file(&path)?;
        let key = PairKey::new(read_private_key(&content, passphrase.as_deref())?);
        let state = Mutex::new(FileState { checked_at: Instant::now(), content, key });
        Ok(Self { path, passphrase, state })
    }

    fn current(&self) -> PairKey {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if now.duration_since(state.checked_at) >= FILE_CHECK_INTERVAL {
            state.checked_at = now;
            // A file that is missing or half written is read again at the next check.
            if let Ok(content) = read_file(&self.path) {
                if content != state.content {
                    if let Ok(pair) = read_private_key(&content, self.passphrase.as_deref()) {
                        state.key = PairKey::new(pair);
                        state.content = content;
                    }
                }
            }
        }
        state.key.clone()
    }
}

fn read_file(path: &PathBuf) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| {
        Error::with_source(ErrorCode::PrivateKeyInvalid, "the private key file cannot be read", source)
    })
}

#[cfg(test)]
#[path = "key_file_test.rs"]
mod key_file_test;
