//! Signs HTTP requests with an RSA key, as services behind Countersign require (RFC 9421, RSASSA-PKCS1-v1_5 with
//! SHA-256).
//!
//! [`Signer::sign`] is the plain function and [`Signer::sign_request`] takes an [`http::Request`]. With the feature
//! `reqwest`, [`reqwest::client`] returns a client that signs everything it sends. With the feature `testing`,
//! [`testing::Verifier`] checks requests in the tests of your own program. The feature `encrypted-keys` reads private keys
//! that are encrypted with a passphrase.
//!
//! ```no_run
//! use countersign_signer::Signer;
//!
//! let signer = Signer::builder("client_7").private_key_file("private.pem").build()?;
//! let signed = signer.sign("GET", "https://api.example.com/v1/orders", b"")?;
//! for (name, value) in &signed.headers {
//!     println!("{name}: {value:?}");
//! }
//! # Ok::<(), countersign_signer::Error>(())
//! ```

#[cfg(feature = "reqwest")]
mod attempts;
mod builder;
mod codes;
mod der;
mod environment;
mod error;
mod key;
mod key_text;
mod refusal;
mod seconds;
mod sign;
mod signer;
mod target;

#[cfg(feature = "reqwest")]
pub mod reqwest;
#[cfg(feature = "testing")]
pub mod testing;

pub use builder::SignerBuilder;
pub use error::{Error, ErrorCode};
pub use refusal::Refusal;
pub use sign::Signed;
pub use signer::Signer;
