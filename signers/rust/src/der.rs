const INTEGER: u8 = 0x02;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;

/// Recognizes a PrivateKeyInfo by its first elements: a version, and then an algorithm (RFC 5958 section 2).
pub(crate) fn is_pkcs8(der: &[u8]) -> bool {
    let Some((SEQUENCE, content, _)) = element(der) else {
        return false;
    };
    matches!(element(content), Some((INTEGER, _, rest)) if rest.first() == Some(&SEQUENCE))
}

/// Recognizes an EncryptedPrivateKeyInfo: an algorithm and nothing before it (RFC 5958 section 3).
pub(crate) fn is_encrypted_pkcs8(der: &[u8]) -> bool {
    let Some((SEQUENCE, content, _)) = element(der) else {
        return false;
    };
    matches!(element(content), Some((SEQUENCE, algorithm, _)) if algorithm.first() == Some(&OBJECT_IDENTIFIER))
}

/// Returns modulus and exponent, without leading zeros, of a SubjectPublicKeyInfo (RFC 5280 section 4.1) or an
/// RSAPublicKey, and the latter's own encoding.
#[cfg(feature = "testing")]
pub(crate) fn read_rsa_public_key(der: &[u8]) -> Option<RsaPublicKey<'_>> {
    const BIT_STRING: u8 = 0x03;
    /// rsaEncryption, 1.2.840.113549.1.1.1, and its parameters, NULL.
    const RSA_ENCRYPTION: [u8; 13] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 5, 0];
    let (SEQUENCE, content, []) = element(der)? else {
        return None;
    };
    let encoding = match element(content)? {
        (SEQUENCE, algorithm, rest) if algorithm == RSA_ENCRYPTION => match element(rest)? {
            (BIT_STRING, bits, []) => bits.strip_prefix(&[0])?, // no unused bits
            _ => return None,
        },
        (INTEGER, ..) => der,
        _ => return None,
    };
    let (SEQUENCE, numbers, []) = element(encoding)? else {
        return None;
    };
    let (INTEGER, modulus, rest) = element(numbers)? else {
        return None;
    };
    let (INTEGER, exponent, []) = element(rest)? else {
        return None;
    };
    let unsigned = |number: &'_ [u8]| number.iter().position(|byte| *byte != 0);
    let (modulus, exponent) = (&modulus[unsigned(modulus)?..], &exponent[unsigned(exponent)?..]);
    Some(RsaPublicKey { encoding, modulus, exponent })
}

/// The parts of an RSA public key.
#[cfg(feature = "testing")]
pub(crate) struct RsaPublicKey<'a> {
    pub(crate) encoding: &'a [u8],
    pub(crate) modulus: &'a [u8],
    pub(crate) exponent: &'a [u8],
}

/// Returns tag and content of the element at the start, and what follows it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        if bytes.len() > 3 {
            return None;
        }
        (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}
