use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rsa::KeyPair;

use crate::der::{is_encrypted_pkcs8, is_pkcs8};
use crate::error::{Error, ErrorCode};

const TEXT_LENGTH_MAX: usize = 64 << 10;
/// 65537, big-endian.
const EXPONENT: [u8; 3] = [1, 0, 1];
const MAKE_ADVICE: &str = "Create one: openssl genrsa -out private.pem 3072";
const CONVERT_ADVICE: &str = "convert the private key: openssl pkcs8 -topk8 -v2 aes-256-cbc -in old.pem -out new.pem";
const DAMAGED: &str = "the private key is damaged or incomplete: use the whole key file";

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Pkcs8,
    Pkcs1,
    EncryptedPkcs8,
}

/// Reads one RSA private key. Errors contain nothing of the text.
pub(crate) fn read_private_key(text: &str, passphrase: Option<&str>) -> Result<KeyPair, Error> {
    if text.len() > TEXT_LENGTH_MAX {
        return Err(invalid("the text is too long to be a private key"));
    }
    let (mut encoding, mut der) = unwrap(text.trim_start_matches('\u{feff}').trim())?;
    if encoding == Encoding::EncryptedPkcs8 {
        der = decrypt(&der, passphrase)?;
        encoding = Encoding::Pkcs8;
    }
    let pair = match encoding {
        Encoding::Pkcs1 => KeyPair::from_der(&der),
        _ => KeyPair::from_pkcs8(&der),
    }
    .map_err(|rejected| {
        invalid(format!("the private key is not an RSA key of 2048 to 4096 bits ({rejected}). {MAKE_ADVICE}"))
    })?;
    let components = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(pair.public());
    if components.e != EXPONENT {
        return Err(invalid(format!("the private key's public exponent is not 65537. {MAKE_ADVICE}")));
    }
    Ok(pair)
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::PrivateKeyInvalid, message)
}

fn unwrap(text: &str) -> Result<(Encoding, Vec<u8>), Error> {
    if text.is_empty() {
        return Err(invalid("the private key is empty"));
    }
    if !text.contains("-----") {
        let der = decode(text)?;
        let encoding = match () {
            () if is_encrypted_pkcs8(&der) => Encoding::EncryptedPkcs8,
            () if is_pkcs8(&der) => Encoding::Pkcs8,
            () => Encoding::Pkcs1,
        };
        return Ok((encoding, der));
    }
    if text.contains("Proc-Type:") {
        return Err(invalid(format!(
            "the private key uses OpenSSL's legacy encryption, which is not supported; {CONVERT_ADVICE}"
        )));
    }
    let (label, body, rest) = pem_block(text).ok_or_else(|| invalid(DAMAGED))?;
    if rest.contains("-----BEGIN ") {
        return Err(invalid("the text contains more than one key: use exactly one private key"));
    }
    let encoding = match label {
        "PRIVATE KEY" => Encoding::Pkcs8,
        "RSA PRIVATE KEY" => Encoding::Pkcs1,
        "ENCRYPTED PRIVATE KEY" => Encoding::EncryptedPkcs8,
        "PUBLIC KEY" | "RSA PUBLIC KEY" | "CERTIFICATE" => {
            let kind = label.to_lowercase();
            return Err(invalid(format!("this is a {kind}, which cannot sign: use the private key instead")));
        }
        "EC PRIVATE KEY" => {
            return Err(invalid(format!("the private key is not an RSA key. {MAKE_ADVICE}")));
        }
        "OPENSSH PRIVATE KEY" => {
            return Err(invalid(
                "OpenSSH private keys are not supported. Convert a copy of the file: ssh-keygen -p -m PKCS8 -f copy-of-key",
            ));
        }
        _ => return Err(invalid(DAMAGED)),
    };
    // Environment variables often hold line breaks as backslash and n.
    Ok((encoding, decode(&body.replace("\\n", ""))?))
}

/// Returns label, content and what follows of the first PEM block. Its line breaks may be missing.
fn pem_block(text: &str) -> Option<(&str, &str, &str)> {
    let (_, text) = text.split_once("-----BEGIN ")?;
    let (label, text) = text.split_once("-----")?;
    let (body, text) = text.split_once("-----END ")?;
    let rest = text.strip_prefix(label)?.strip_prefix("-----")?;
    Some((label, body, rest))
}

fn decode(text: &str) -> Result<Vec<u8>, Error> {
    let characters: String = text.split_ascii_whitespace().collect();
    STANDARD.decode(characters).map_err(|_| invalid(DAMAGED))
}

#[cfg(not(feature = "encrypted-keys"))]
fn decrypt(_der: &[u8], _passphrase: Option<&str>) -> Result<Vec<u8>, Error> {
    Err(invalid("the private key is encrypted: enable the feature encrypted-keys of countersign-signer"))
}

#[cfg(feature = "encrypted-keys")]
fn decrypt(der: &[u8], passphrase: Option<&str>) -> Result<Vec<u8>, Error> {
    let Some(passphrase) = passphrase.filter(|text| !text.is_empty()) else {
        return Err(invalid("the private key is encrypted: provide its passphrase"));
    };
    let info = pkcs8::EncryptedPrivateKeyInfoRef::try_from(der)
        .map_err(|_| invalid(format!("the private key's encryption is not supported; {CONVERT_ADVICE}")))?;
    let plain =
        info.decrypt(passphrase).map_err(|_| invalid("the passphrase is wrong, or the private key is damaged"))?;
    Ok(plain.as_bytes().to_vec())
}
