use std::env;
use std::ffi::OsString;

use crate::builder::SignerBuilder;
use crate::error::{Error, ErrorCode};
use crate::signer::Signer;

impl Signer {
    /// Returns the signer of [`SignerBuilder::from_environment`].
    pub fn from_environment() -> Result<Self, Error> {
        SignerBuilder::from_environment()?.build()
    }
}

impl SignerBuilder {
    /// Starts with environment variables: `COUNTERSIGN_CLIENT_ID`, `COUNTERSIGN_PRIVATE_KEY_FILE` or
    /// `COUNTERSIGN_PRIVATE_KEY`, and `COUNTERSIGN_PASSPHRASE`. An error names the missing variable, and repeats no value.
    pub fn from_environment() -> Result<Self, Error> {
        Self::from_variables(|name| env::var_os(name))
    }

    fn from_variables(read: impl Fn(&str) -> Option<OsString>) -> Result<Self, Error> {
        let value = |name: &str| read(name).filter(|value| !value.is_empty());
        let text = |name: &str| value(name).map(|value| value.to_string_lossy().into_owned());
        let Some(client_id) = text("COUNTERSIGN_CLIENT_ID") else {
            return Err(Error::new(
                ErrorCode::KeyidInvalid,
                "set COUNTERSIGN_CLIENT_ID to the Client ID from the portal",
            ));
        };
        let builder = Self::new(client_id);
        let builder = match (value("COUNTERSIGN_PRIVATE_KEY_FILE"), text("COUNTERSIGN_PRIVATE_KEY")) {
            (Some(path), None) => builder.private_key_file(path),
            (None, Some(key)) => builder.private_key(key),
            _ => {
                return Err(Error::new(
                    ErrorCode::PrivateKeyInvalid,
                    "set either COUNTERSIGN_PRIVATE_KEY_FILE to the file of the private key, or COUNTERSIGN_PRIVATE_KEY to \
                     the key itself",
                ));
            }
        };
        Ok(match text("COUNTERSIGN_PASSPHRASE") {
            Some(passphrase) => builder.passphrase(passphrase),
            None => builder,
        })
    }
}

#[cfg(all(test, feature = "testing"))]
#[path = "environment_test.rs"]
mod environment_test;
