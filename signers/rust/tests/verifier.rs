//! The verifier against the vectors, which other programs made.

mod support;

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_signer::testing::{NoncePolicy, Received, Verifier};
use http::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use support::{VECTORS, at, builder, public_key, vectors, verifier};

/// The codes that fit a class of the vectors.
fn codes_of(class: &str) -> &'static [&'static str] {
    match class {
        "algorithm" => &["algorithm_not_allowed"],
        "components" => &["components_invalid"],
        "date_mismatch" | "date_window" => &["date_mismatch"],
        "digest_algorithm" | "malformed_digest" => &["digest_malformed"],
        "digest_mismatch" => &["digest_mismatch"],
        "duplicate_header" => &["signature_missing", "date_invalid", "digest_malformed"],
        "in_future" => &["created_in_future"],
        "label" | "malformed_signature" | "malformed_signature_input" => &["signature_malformed"],
        "malformed_date" | "missing_date" => &["date_invalid"],
        "malformed_request" => &["request_malformed"],
        "missing_digest" => &["digest_missing"],
        "missing_signature" | "missing_signature_input" => &["signature_missing"],
        "params" => &["parameters_invalid"],
        "too_old" => &["created_expired"],
        // A key that cannot be registered is nobody's.
        "signature_mismatch" | "unknown_client" | "weak_key" => &["signature_invalid"],
        _ => panic!("no codes for the class {class}"),
    }
}

/// What the profile answers in the open cases (docs/profile.md section 2.3).
fn decided(id: &str) -> &'static str {
    match id {
        "tamper-signature/text-no-padding" | "tamper-signature/text-pad-bits" | "tamper-signature/params" => {
            "signature_malformed"
        }
        "components/no-date" | "components/no-date-no-header" | "components/no-date-get" => "components_invalid",
        "label/two-good" | "label/two-junk" => "signature_malformed",
        "crypto/missing-null" | "crypto/pss-oid-key" => "signature_invalid",
        "params/expires" | "params/nonce" | "params/tag" | "params/unknown" => "parameters_invalid",
        "date/differs-120" => "date_mismatch",
        "digest/both-right" | "digest/wrong-512" | "digest/unpadded" => "digest_malformed",
        "digest/empty-body-covered" => "components_invalid",
        "target-open/explicit-443" => "ok",
        "window/edge-future-60" | "keyid/quote-escaped" | "params/order-1" | "params/order-3" => "ok",
        id if id.starts_with("target-open/") => "signature_invalid",
        _ => panic!("{id} is not decided"),
    }
}

fn cases(name: &str, least: usize) -> Vec<Value> {
    let cases = vectors(name)["cases"].as_array().expect("cases").clone();
    assert!(cases.len() >= least, "{name} has only {} cases", cases.len());
    cases
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the code with which a vector is rejected, or "ok".
fn verdict(case: &Value, accept_without_date: bool) -> &'static str {
    let lines = case["request"]["headers"].as_array().expect("headers");
    // A verifier knows one client: the one that the request names, or any if there is none of that name.
    let clients = case["verify"]["clients"].as_array().expect("clients");
    let is_named = |client: &&Value| {
        let keyid = format!("keyid=\"{}\"", text(&client["clientId"]));
        lines.iter().any(|line| text(&line[1]).contains(&keyid))
    };
    let client = clients.iter().find(is_named).unwrap_or(&clients[0]);
    let Ok(verifier) = Verifier::new(text(&client["clientId"]), &public_key(text(&client["publicKey"]))) else {
        return "signature_invalid";
    };
    let now = case["verify"]["now"].as_u64().expect("a time");
    let verifier = verifier.now(move || at(now));
    let verifier = if accept_without_date { verifier.accept_without_date() } else { verifier };
    let mut headers = HeaderMap::new();
    for line in lines {
        // One code point up to U+00FF is one octet.
        let octets: Vec<u8> = text(&line[1]).chars().map(|point| point as u8).collect();
        let name: HeaderName = text(&line[0]).parse().expect("a header name");
        // What no HTTP parser lets through never reaches a verifier.
        let Ok(value) = HeaderValue::from_bytes(&octets) else {
            return "not HTTP";
        };
        headers.append(name, value);
    }
    let given = &case["request"]["body"];
    let body = match given["file"].as_str() {
        Some(file) => fs::read(format!("{VECTORS}/{file}")).expect("a body"),
        None => STANDARD.decode(text(&given["base64"])).expect("Base64"),
    };
    let (method, url) = (text(&case["request"]["method"]), text(&case["request"]["url"]));
    match verifier.verify(Received { method, url, headers: &headers, body: &body }) {
        Ok(()) => "ok",
        Err(rejection) => rejection.code,
    }
}

#[test]
fn accepts_positive_vectors() {
    for case in cases("positive.json", 90) {
        assert_eq!(verdict(&case, false), "ok", "{}", case["id"]);
    }
}

#[test]
fn rejects_negative_vectors() {
    let mut not_http = 0;
    for case in cases("negative.json", 300).into_iter().chain(cases("fuzz.json", 300)) {
        let code = verdict(&case, false);
        if code == "not HTTP" {
            not_http += 1;
            continue;
        }
        let also = case["expect"]["alsoOk"].as_array().cloned().unwrap_or_default();
        let mut classes = vec![text(&case["expect"]["class"])];
        classes.extend(also.iter().map(text));
        // keyid has visible characters only.
        let is_earlier = case["id"] == "keyid/trailing-space" && code == "parameters_invalid";
        let is_right = classes.iter().any(|class| codes_of(class).contains(&code));
        assert!(is_right || is_earlier, "{}: {code}, not of {classes:?}", case["id"]);
    }
    assert!(not_http < 20, "{not_http} cases are no HTTP");
}

#[test]
fn decides_open_cases_as_the_profile_does() {
    for case in cases("policy.json", 30) {
        let id = text(&case["id"]);
        assert_eq!(verdict(&case, false), decided(id), "{id}");
        if id.starts_with("components/no-date") {
            assert_eq!(verdict(&case, true), "ok", "{id}, without date");
        }
    }
}

#[test]
fn accepts_a_signature_once() {
    let signed = support::signer().sign("PUT", "https://api.example.com/v1/once", b"{}").expect("a signature");
    let verifier = verifier();
    let received =
        Received { method: "PUT", url: "https://api.example.com/v1/once", headers: &signed.headers, body: b"{}" };
    let code = |received: Received<'_>| verifier.verify(received).map_err(|rejection| rejection.code);
    assert_eq!(code(Received { method: "POST", ..received }), Err("signature_invalid"));
    assert_eq!(code(Received { body: b"[]", ..received }), Err("digest_mismatch"));
    assert_eq!(code(received), Ok(()));
    assert_eq!(code(received), Err("signature_replayed"));
}

#[test]
fn checks_time_nonce_and_date() {
    let now = 1_800_000_000;
    let url = "https://api.example.com/v1/checks";
    let code = |signer: countersign_signer::SignerBuilder, verifier: Verifier| {
        let signed = signer.build().expect("a signer").sign("GET", url, b"").expect("a signature");
        let received = Received { method: "GET", url, headers: &signed.headers, body: b"" };
        verifier.now(move || at(now)).verify(received).map_err(|rejection| rejection.code)
    };
    for (created, expected) in [
        (now - 301, Err("created_expired")),
        (now - 300, Ok(())),
        (now + 60, Ok(())),
        (now + 61, Err("created_in_future")),
    ] {
        assert_eq!(code(builder().now(move || at(created)), verifier()), expected);
    }
    let signer = || builder().now(move || at(now));
    assert_eq!(code(signer().nonce(true), verifier()), Err("parameters_invalid"));
    assert_eq!(code(signer().nonce(true), verifier().nonce(NoncePolicy::Optional)), Ok(()));
    assert_eq!(code(signer(), verifier().nonce(NoncePolicy::Required)), Err("parameters_invalid"));
    assert_eq!(code(signer().nonce(true), verifier().nonce(NoncePolicy::Required)), Ok(()));
    assert_eq!(code(signer().cover_date(false), verifier()), Err("components_invalid"));
    assert_eq!(code(signer().cover_date(false), verifier().accept_without_date()), Ok(()));
}

#[test]
fn rejects_keys_that_cannot_be_registered() {
    for name in ["ec-p256", "ed25519", "rsa-1536", "rsa-2047", "rsa-2048-e3", "rsa-pss-2048"] {
        assert!(Verifier::new("shop", &public_key(name)).is_err(), "{name}");
    }
    assert!(Verifier::new("shop", &support::private_key("rsa-2048-a")).is_err());
    assert!(Verifier::new("shop", "").is_err());
}
