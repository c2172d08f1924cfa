use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::HeaderName;

use super::{Rejection, reject};
use crate::sign::{SIGNATURE, SIGNATURE_INPUT};

const FIELD_LENGTH_MAX: usize = 4096;

/// The content of `Signature-Input`, before any rule of the profile applies.
pub(super) struct SignatureInput {
    /// What follows `sig=`: the value of `@signature-params`.
    pub(super) text: String,
    /// The inner list without the signature's parameters.
    pub(super) components: String,
    pub(super) parameters: HashMap<String, BareItem>,
}

impl SignatureInput {
    /// Returns the text of a parameter that is a String, or "".
    pub(super) fn string(&self, name: &str) -> &str {
        match self.parameters.get(name) {
            Some(BareItem::String(text)) => text,
            _ => "",
        }
    }
}

/// A bare item of a structured field (RFC 8941 section 3.3).
pub(super) enum BareItem {
    Integer(i64),
    String(String),
    Other,
}

/// Returns `Signature-Input` and the bytes of `Signature`.
pub(super) fn read_fields(headers: &HeaderMap) -> Result<(SignatureInput, Vec<u8>), Rejection> {
    let input = single_line(headers, &SIGNATURE_INPUT)?;
    let signature = single_line(headers, &SIGNATURE)?;
    let input = read_signature_input(input).ok_or_else(|| {
        reject("signature_malformed", "Signature-Input is not one member \"sig\" in its canonical text")
    })?;
    let encoded = signature.strip_prefix("sig=:").and_then(|rest| rest.strip_suffix(':'));
    let signature = encoded.and_then(|encoded| STANDARD.decode(encoded).ok()).ok_or_else(|| {
        reject("signature_malformed", "Signature is not one member \"sig\" with canonical, padded Base64")
    })?;
    Ok((input, signature))
}

fn single_line<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<&'a str, Rejection> {
    let mut lines = headers.get_all(name).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else {
        return Err(reject("signature_missing", format!("there is not exactly one {name} header")));
    };
    if line.len() > FIELD_LENGTH_MAX {
        let length = line.len();
        return Err(reject(
            "signature_malformed",
            format!("{name} has {length} characters, more than {FIELD_LENGTH_MAX}"),
        ));
    }
    let text = line.to_str().map_err(|_| reject("signature_malformed", format!("{name} is not in ASCII")))?;
    Ok(text.trim_matches([' ', '\t']))
}

/// Reads exactly one member `sig`, an inner list, in the one text that RFC 8941 section 4.1 writes for it.
fn read_signature_input(field: &str) -> Option<SignatureInput> {
    let text = field.strip_prefix("sig=")?;
    let mut reader = CanonicalReader(text);
    reader.take("(").then_some(())?;
    let mut is_first = true;
    while !reader.take(")") {
        if !is_first && !reader.take(" ") {
            return None;
        }
        is_first = false;
        reader.item()?;
        reader.parameters()?;
    }
    let components = text.strip_suffix(reader.0)?.to_owned();
    let parameters = reader.parameters()?;
    reader.0.is_empty().then(|| SignatureInput { text: text.to_owned(), components, parameters })
}

/// Consumes canonical structured-field text.
struct CanonicalReader<'a>(&'a str);

impl<'a> CanonicalReader<'a> {
    fn take(&mut self, prefix: &str) -> bool {
        let rest = self.0.strip_prefix(prefix);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Takes the characters at the start that fit.
    fn take_while(&mut self, fits: impl Fn(u8) -> bool) -> &'a str {
        let end = self.0.bytes().position(|byte| !fits(byte)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(end);
        self.0 = rest;
        taken
    }

    fn item(&mut self) -> Option<BareItem> {
        match self.0.bytes().next()? {
            b'"' => self.string(),
            b':' => self.bytes(),
            b'?' => (self.take("?0") || self.take("?1")).then_some(BareItem::Other),
            b'-' | b'0'..=b'9' => self.number(),
            first if first == b'*' || first.is_ascii_alphabetic() => {
                self.take_while(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte));
                Some(BareItem::Other)
            }
            _ => None,
        }
    }

    fn string(&mut self) -> Option<BareItem> {
        self.take("\"").then_some(())?;
        let mut text = String::new();
        loop {
            text += self.take_while(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\');
            if self.take("\"") {
                return Some(BareItem::String(text));
            }
            text += match () {
                () if self.take("\\\"") => "\"",
                () if self.take("\\\\") => "\\",
                () => return None,
            };
        }
    }

    fn bytes(&mut self) -> Option<BareItem> {
        self.take(":").then_some(())?;
        let encoded = self.take_while(|byte| byte != b':');
        (self.take(":") && STANDARD.decode(encoded).is_ok()).then_some(BareItem::Other)
    }

    fn number(&mut self) -> Option<BareItem> {
        let text = self.take_while(|byte| matches!(byte, b'-' | b'.' | b'0'..=b'9'));
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        match fraction {
            Some(fraction) => {
                let is_canonical = is_number(fraction) && (fraction.len() == 1 || !fraction.ends_with('0'));
                (is_canonical && whole.len() <= 12 && fraction.len() <= 3).then_some(BareItem::Other)
            }
            None if whole.len() <= 15 && text != "-0" => text.parse().ok().map(BareItem::Integer),
            None => None,
        }
    }

    fn parameters(&mut self) -> Option<HashMap<String, BareItem>> {
        let mut parameters = HashMap::new();
        while self.take(";") {
            let starts = self.0.starts_with(|first: char| first == '*' || first.is_ascii_lowercase());
            let name =
                self.take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-.*".contains(&byte));
            starts.then_some(())?;
            // True is written without a value.
            let value = match self.take("=") {
                true if self.0.starts_with("?1") => return None,
                true => self.item()?,
                false => BareItem::Other,
            };
            if parameters.insert(name.to_owned(), value).is_some() {
                return None;
            }
        }
        Some(parameters)
    }
}
