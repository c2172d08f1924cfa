use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::der::read_rsa_public_key;

/// Returns the DER RSAPublicKey of a key that can be registered.
pub(super) fn read(text: &str) -> Option<Vec<u8>> {
    let body = match text.split_once("-----BEGIN ") {
        Some((_, rest)) => rest.split_once("-----")?.1.split_once("-----END ")?.0,
        None => text,
    };
    let der = STANDARD.decode(body.split_ascii_whitespace().collect::<String>()).ok()?;
    let key = read_rsa_public_key(&der)?;
    let bits = key.modulus.len() * 8 - usize::try_from(key.modulus.first()?.leading_zeros()).ok()?;
    ((2048..=8192).contains(&bits) && key.exponent == [1, 0, 1]).then(|| key.encoding.to_vec())
}
