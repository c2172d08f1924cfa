use std::error::Error as StdError;
use std::fmt;

/// The reason why a request was not signed. Match on it; messages may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The client ID cannot be a `keyid`.
    KeyidInvalid,
    /// The private key cannot be read, or is not an RSA key of 2048 to 4096 bits.
    PrivateKeyInvalid,
    /// The method, the URL or the body cannot be sent as signed.
    RequestInvalid,
    /// The body is larger than [`body_bytes_max`](crate::SignerBuilder::body_bytes_max).
    BodyTooLarge,
    /// Equal requests were signed half a minute ahead, and no second became free for this one.
    TooManyEqualRequests,
    /// The key or the shared folder failed.
    SigningFailed,
    /// Something repeated a POST, a PATCH or an unknown method without `Idempotency-Key`, and the API may have carried out
    /// the first attempt. Look up the outcome first.
    RepeatNotSigned,
}

impl ErrorCode {
    /// Returns the code as signers in all languages write it, such as `request_invalid`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::KeyidInvalid => "keyid_invalid",
            Self::PrivateKeyInvalid => "private_key_invalid",
            Self::RequestInvalid => "request_invalid",
            Self::BodyTooLarge => "body_too_large",
            Self::TooManyEqualRequests => "too_many_equal_requests",
            Self::SigningFailed => "signing_failed",
            Self::RepeatNotSigned => "repeat_not_signed",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A request that was not sent, or not sent again, because it could not be signed. It never contains key material.
#[derive(Debug)]
pub struct Error {
    code: ErrorCode,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), source: None }
    }

    pub(crate) fn with_source(
        code: ErrorCode,
        message: impl Into<String>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { code, message: message.into(), source: Some(source.into()) }
    }

    /// Returns the code to match on.
    pub fn code(&self) -> ErrorCode {
        self.code
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

pub(crate) fn request_invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::RequestInvalid, message)
}

#[cfg(feature = "reqwest")]
pub(crate) fn repeat_not_signed(method: &str) -> Error {
    let method = method.to_ascii_uppercase();
    Error::new(
        ErrorCode::RepeatNotSigned,
        format!(
            "This {method} was sent once already, and it is not known whether the API carried it out. Signing it again \
             could carry it out twice, so it was not signed. Look up the outcome first, or send an Idempotency-Key that \
             the API honors."
        ),
    )
}
