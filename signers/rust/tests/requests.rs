//! Signing without an HTTP client.

mod support;

use std::collections::HashSet;
use std::error::Error as _;
use std::fs::{self, FileTimes};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use countersign_signer::testing::Received;
use countersign_signer::{ErrorCode, Refusal, Signer, SignerBuilder};
use http::header::HeaderMap;
use http::{Request, StatusCode};
use support::{Folder, at, builder, private_key, signer, verifier};

const URL: &str = "https://api.example.com/v1/payments";

fn code(result: Result<impl Sized, countersign_signer::Error>) -> Option<ErrorCode> {
    result.err().map(|error| error.code())
}

#[test]
fn rejects_requests_that_cannot_be_sent_as_signed() {
    let signer = builder().body_bytes_max(4).build().expect("a signer");
    let long = format!("{URL}?q={}", "x".repeat(8492));
    for (method, url) in [
        ("GET", "api.example.com/v1"),
        ("GET", "ftp://api.example.com/v1"),
        ("GET", "https://api.example.com"),
        ("GET", "https://api.example.com?a/b"),
        ("GET", "https:///v1"),
        ("GET", "https://a:b@api.example.com/v1"),
        ("GET", "https://API.example.com/v1"),
        ("GET", "https://api.example.com:443/v1"),
        ("GET", "https://api.example.com/v1#top"),
        ("GET", "https://api.example.com/v1?q=é"),
        ("GET", "https://api.example.com/v1?q=a b"),
        ("GET", "https://api.example.com/v1\n\"date\": x"),
        ("GET", &long),
        ("", URL),
        ("GET\n", URL),
        ("connect", URL),
    ] {
        assert_eq!(code(signer.sign(method, url, b"")), Some(ErrorCode::RequestInvalid), "{method} {url}");
    }
    assert_eq!(code(signer.sign("POST", URL, b"12345")), Some(ErrorCode::BodyTooLarge));
    assert_eq!(code(signer.sign("POST", URL, b"1234")), None);
}

#[test]
fn rejects_options_that_cannot_work() {
    let key = || private_key("rsa-2048-a");
    let keyid = |client_id: &str| code(Signer::builder(client_id).private_key(key()).build());
    for client_id in ["", "my shop", "café", &"x".repeat(257)] {
        assert_eq!(keyid(client_id), Some(ErrorCode::KeyidInvalid), "{client_id}");
    }
    assert_eq!(keyid(&"x".repeat(256)), None);
    let none = Signer::builder("shop");
    let two = builder().private_key(key());
    let missing = Signer::builder("shop").private_key_file("testdata/none.pem").build();
    assert_eq!(code(none.build()), Some(ErrorCode::PrivateKeyInvalid));
    assert_eq!(code(two.build()), Some(ErrorCode::PrivateKeyInvalid));
    assert!(missing.as_ref().err().and_then(|error| error.source()).is_some(), "the error has no cause");
    assert_eq!(code(missing), Some(ErrorCode::PrivateKeyInvalid));
    assert_eq!(code(builder().shared_folder("Cargo.toml").build()), Some(ErrorCode::SigningFailed));
}

#[test]
fn keeps_the_key_out_of_debug_output() {
    let builder = builder().passphrase("horse");
    let printed = format!("{builder:?}");
    let printed = printed + &format!("{:?}", builder.build().expect("a signer"));
    assert!(printed.contains("shop") && !printed.contains("BEGIN") && !printed.contains("horse"), "{printed}");
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[test]
fn escapes_the_client_id() {
    let signer = Signer::builder(r#"a"b\c"#).private_key(private_key("rsa-2048-a")).build().expect("a signer");
    let signed = signer.sign("GET", URL, b"").expect("a signature");
    assert!(header(&signed.headers, "signature-input").contains(r#";keyid="a\"b\\c";"#));
}

#[test]
fn gives_equal_requests_later_seconds() {
    let signer = builder().now(|| at(1_800_000_000)).build().expect("a signer");
    for ahead in 0..=30 {
        let signed = signer.sign("delete", URL, b"").expect("a signature");
        assert_eq!(signed.created, 1_800_000_000 + ahead);
        let date = httpdate::parse_http_date(header(&signed.headers, "date")).expect("a date");
        assert_eq!(date, at(signed.created as u64));
    }
    assert_eq!(code(signer.sign("DELETE", URL, b"")), Some(ErrorCode::TooManyEqualRequests));
    for (method, url, body) in
        [("PUT", URL, ""), ("DELETE", "https://api.example.com/v1/payments?", ""), ("DELETE", URL, "x")]
    {
        let signed = signer.sign(method, url, body.as_bytes()).expect("a signature");
        assert_eq!(signed.created, 1_800_000_000, "{method} {url} {body}");
    }
}

#[test]
fn waits_for_a_second_of_its_own() {
    let signer = builder().now(SystemTime::now).build().expect("a signer");
    let created: HashSet<_> = (0..33).map(|_| signer.sign("POST", URL, b"{}").expect("a signature").created).collect();
    assert_eq!(created.len(), 33);
}

#[test]
fn lets_equal_reads_share_a_second() {
    // The clock stands still: with a second for each, the 32nd would fail.
    for method in ["GET", "head", "OPTIONS"] {
        let signer = builder().now(|| at(1_800_000_000)).build().expect("a signer");
        for _ in 0..50 {
            signer.sign(method, URL, b"").expect("a signature");
        }
    }
}

#[test]
fn lets_reads_share_seconds_again_some_time_after_one_was_refused() {
    let now = Arc::new(AtomicU64::new(1_800_000_000));
    let clock = Arc::clone(&now);
    let signer = builder().now(move || at(clock.load(Ordering::Relaxed))).build().expect("a signer");
    let mut headers = HeaderMap::new();
    headers.insert("content-type", "application/problem+json".parse().expect("a value"));
    let document = br#"{"type":"https://api.example.com/docs/errors#signature_replayed","code":"signature_replayed"}"#;
    let refusal = Refusal::from_response(StatusCode::UNAUTHORIZED, &headers, document).expect("a refusal");
    assert!(signer.change_second("GET", &refusal));
    let read = || signer.sign("GET", URL, b"").expect("a signature").created;
    assert_eq!([read(), read(), read()], [1_800_000_000, 1_800_000_001, 1_800_000_002]);
    now.store(1_800_000_010, Ordering::Relaxed);
    assert_eq!([read(), read(), read()], [1_800_000_010; 3]);
}

#[test]
fn signers_of_a_process_share_their_seconds() {
    let created = || {
        let signer =
            Signer::builder("shared-seconds").private_key(private_key("rsa-2048-a")).build().expect("a signer");
        signer.sign("PUT", URL, b"").expect("a signature").created
    };
    let seconds: HashSet<_> = [created(), created(), created()].into();
    assert_eq!(seconds.len(), 3);
}

#[test]
fn never_signs_the_same_twice_from_many_threads() {
    let folder = Folder::new("threads");
    let now = SystemTime::now();
    // Each signer with a clock of its own has a memory of its own, like a process.
    let new = || builder().now(move || now).shared_folder(&folder.0).build().expect("a signer");
    let signers = [new(), new()];
    let seen = Mutex::new(HashSet::new());
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let (signer, seen) = (&signers[worker % 2], &seen);
            scope.spawn(move || {
                for _ in 0..3 {
                    let signed = signer.sign("DELETE", URL, b"").expect("a signature");
                    assert!(seen.lock().expect("the set").insert(signed.base), "signed twice");
                }
            });
        }
    });
    assert_eq!(seen.into_inner().expect("the set").len(), 24);
}

#[test]
fn shared_folder_has_the_names_of_all_languages() {
    let folder = Folder::new("names");
    let path = folder.0.join("used/seconds");
    let new = || builder().now(|| at(1_800_000_000)).shared_folder(&path).build().expect("a signer");
    assert_eq!(new().sign("POST", URL, b"{}").expect("a signature").created, 1_800_000_000);
    assert_eq!(new().sign("POST", URL, b"{}").expect("a signature").created, 1_800_000_001);
    // SHA-256 of "shop\0POST\0https://api.example.com/v1/payments\0sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:".
    let record = path.join("c998653df8fcfbf8a857599d002f938c.1800000000");
    let foreign = path.join("notes.txt");
    fs::write(&foreign, "").expect("a file");
    for file in [&record, &foreign] {
        let old = SystemTime::now() - Duration::from_secs(421);
        let times = FileTimes::new().set_modified(old);
        fs::File::options().write(true).open(file).expect("a file").set_times(times).expect("a time");
    }
    new().sign("PUT", URL, b"").expect("a signature");
    assert!(!record.exists(), "an old record is still there");
    assert!(foreign.exists(), "a file that is no record was deleted");

    let signer = new();
    fs::remove_dir_all(&path).expect("a removed folder");
    assert_eq!(code(signer.sign("PUT", URL, b"gone")), Some(ErrorCode::SigningFailed));
}

#[test]
fn a_nonce_makes_equal_requests_distinct() {
    let signer = builder().nonce(true).now(|| at(1_800_000_000)).build().expect("a signer");
    let inputs: HashSet<_> = (0..50)
        .map(|_| {
            let signed = signer.sign("GET", URL, b"").expect("a signature");
            assert_eq!(signed.created, 1_800_000_000);
            header(&signed.headers, "signature-input").to_owned()
        })
        .collect();
    assert_eq!(inputs.len(), 50);
}

#[test]
fn leaves_out_date() {
    let signed = builder().cover_date(false).build().expect("a signer").sign("POST", URL, b"x").expect("a signature");
    assert!(!signed.headers.contains_key("date"));
    let input = header(&signed.headers, "signature-input");
    assert!(input.starts_with(r#"sig=("@method" "@target-uri" "content-digest");created="#), "{input}");
}

#[test]
fn signs_http_requests_in_their_final_form() {
    let verifier = verifier();
    for (uri, host, url) in [
        ("https://api.example.com/v1/a%2fb?x=%7e&y=", None, "https://api.example.com/v1/a%2fb?x=%7e&y="),
        ("https://api.example.com", None, "https://api.example.com/"),
        ("https://api.example.com?a=1", None, "https://api.example.com/?a=1"),
        ("https://api.example.com/v1?", None, "https://api.example.com/v1?"),
        ("https://API.Example.com:443/v1", None, "https://api.example.com/v1"),
        ("http://[2001:DB8::1]:8080/v1", None, "http://[2001:db8::1]:8080/v1"),
        ("http://127.0.0.1:8080/v1", Some("API.example.com:80"), "http://api.example.com/v1"),
        ("https://api.example.com//a/../b", None, "https://api.example.com//a/../b"),
    ] {
        let mut request = Request::builder().method("post").uri(uri).header("signature", "old");
        if let Some(host) = host {
            request = request.header("host", host);
        }
        let mut request = request.body("{}").expect("a request");
        signer().sign_request(&mut request).expect("a signature");
        assert_eq!(request.method(), "POST");
        // What hyper sends: the Host header if there is one, or the authority without a default port.
        let authority = request.uri().authority().expect("an authority").as_str();
        let sent_host = request.headers().get("host").map_or(authority, |value| value.to_str().expect("text"));
        let sent_path = request.uri().path_and_query().expect("a path").as_str();
        let sent = format!("{}://{sent_host}{sent_path}", request.uri().scheme_str().expect("a scheme"));
        assert_eq!(sent, url, "{uri}");
        let received = Received { method: "POST", url, headers: request.headers(), body: b"{}" };
        verifier.verify(received).expect("an accepted request");
    }
    let mut relative = Request::builder().uri("/v1/payments").body("").expect("a request");
    assert_eq!(code(signer().sign_request(&mut relative)), Some(ErrorCode::RequestInvalid));
    let mut with_user = Request::builder().uri("https://a:b@api.example.com/").body("").expect("a request");
    assert_eq!(code(signer().sign_request(&mut with_user)), Some(ErrorCode::RequestInvalid));
}

fn with<F>(function: F) -> Signer
where
    F: Fn(&[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> + Send + Sync + 'static,
{
    Signer::builder("shop").sign_with(function).build().expect("a signer")
}

#[test]
fn signs_with_a_function() {
    let key = ring::rsa::KeyPair::from_pkcs8(&pem(&private_key("rsa-2048-a"))).expect("a key");
    let right = with(move |message| {
        let mut signature = vec![0; key.public().modulus_len()];
        let random = ring::rand::SystemRandom::new();
        key.sign(&ring::signature::RSA_PKCS1_SHA256, &random, message, &mut signature).map_err(|_| "no signature")?;
        Ok(signature)
    });
    let url = "https://api.example.com/v1/function";
    let signed = right.sign("GET", url, b"").expect("a signature");
    let received = Received { method: "GET", url, headers: &signed.headers, body: b"" };
    verifier().verify(received).expect("an accepted request");

    let failing = with(|_| Err("no network".into())).sign("GET", url, b"");
    let cause = failing.as_ref().err().and_then(|error| error.source()).map(ToString::to_string);
    assert_eq!(cause.as_deref(), Some("no network"));
    assert_eq!(code(failing), Some(ErrorCode::SigningFailed));
    let text = with(|_| Ok(b"abc".to_vec())).sign("GET", url, b"");
    assert_eq!(code(text), Some(ErrorCode::SigningFailed));
}

fn pem(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    let lines: String = text.lines().filter(|line| !line.starts_with("-----")).collect();
    base64::engine::general_purpose::STANDARD.decode(lines).expect("Base64")
}

fn reads(builder: SignerBuilder) -> Result<(), countersign_signer::Error> {
    builder.now(|| at(1_800_000_000)).build()?.sign("GET", URL, b"").map(|signed| {
        let expected = signer_at().sign("GET", URL, b"").expect("a signature");
        assert_eq!(signed.headers, expected.headers, "it is another key");
    })
}

fn signer_at() -> Signer {
    builder().now(|| at(1_800_000_000)).build().expect("a signer")
}

#[test]
fn reads_private_keys_in_every_form() {
    use base64::Engine as _;
    let encode = |der: &[u8]| base64::engine::general_purpose::STANDARD.encode(der);
    let pkcs8 = private_key("rsa-2048-a");
    let der = pem(&pkcs8);
    let pkcs1 = encode(&der[26..]); // after SEQUENCE, version, algorithm and the header of the OCTET STRING
    for text in [
        pkcs8.clone(),
        format!("-----BEGIN RSA PRIVATE KEY-----\n{pkcs1}\n-----END RSA PRIVATE KEY-----\n"),
        encode(&der),
        pkcs1,
        pkcs8.replace('\n', "\r\n"),
        pkcs8.replace('\n', " "),
        pkcs8.replace('\n', "\\n"),
        format!("\u{feff}{pkcs8}"),
        format!("Bag Attributes\n{pkcs8}\nend"),
    ] {
        reads(Signer::builder("shop").private_key(&text)).unwrap_or_else(|error| panic!("{error}: {text:.60}"));
    }
}

#[test]
fn rejects_texts_that_are_no_usable_key() {
    let good = private_key("rsa-2048-a");
    let test_file = |name: &str| fs::read_to_string(format!("testdata/{name}.pem")).expect("a test file");
    for (text, advice) in [
        (String::new(), "empty"),
        ("hello".to_owned(), "damaged"),
        (good[..800].to_owned(), "damaged"),
        (good.replacen('A', "*", 1), "damaged"),
        (good.clone() + &private_key("rsa-2048-b"), "more than one key"),
        (support::public_key("rsa-2048-a"), "public key"),
        (private_key("ec-p256"), "not an RSA"),
        (private_key("ed25519"), "not an RSA"),
        (private_key("rsa-pss-2048"), "not an RSA"),
        (private_key("rsa-1536"), "2048"),
        (private_key("rsa-2047"), "2048"),
        (private_key("rsa-2048-e3"), "2048"), // ring names the smallest exponent that it takes as a matter of size
        (test_file("legacy"), "openssl pkcs8"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----".to_owned(), "ssh-keygen"),
        ("A".repeat(70_000), "too long"),
        ("MAA=".to_owned(), "not an RSA"),
    ] {
        let error = Signer::builder("shop").private_key(&text).build().expect_err("an error");
        assert_eq!(error.code(), ErrorCode::PrivateKeyInvalid);
        assert!(error.to_string().contains(advice), "{error} does not contain {advice}");
        let leaks = text.lines().map(str::trim).any(|line| line.len() > 10 && error.to_string().contains(line));
        assert!(!leaks, "the message repeats the text: {error}");
    }
}

#[test]
fn prints_codes_as_all_signers_write_them() {
    let error = Signer::builder("").build().expect_err("an error");
    assert_eq!(format!("{}", error.code()), "keyid_invalid");
}

#[cfg(feature = "encrypted-keys")]
#[test]
fn reads_encrypted_keys() {
    for name in ["aes256-sha256", "aes192-sha512", "aes128-sha1", "scrypt"] {
        let file = format!("testdata/{name}.pem");
        reads(Signer::builder("shop").private_key_file(&file).passphrase("horse")).expect(name);
        for builder in [
            Signer::builder("shop").private_key_file(&file),
            Signer::builder("shop").private_key_file(&file).passphrase("cow"),
        ] {
            let error = builder.build().expect_err("an error");
            assert!(error.to_string().contains("passphrase"), "{error}");
        }
    }
}

#[cfg(not(feature = "encrypted-keys"))]
#[test]
fn names_the_feature_for_encrypted_keys() {
    let builder = Signer::builder("shop").private_key_file("testdata/aes256-sha256.pem").passphrase("horse");
    let error = builder.build().expect_err("an error");
    assert!(error.to_string().contains("encrypted-keys"), "{error}");
}

#[test]
fn reads_refusals_of_other_clients() {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", "Application/Problem+JSON; charset=utf-8".parse().expect("a value"));
    let document =
        br#"{"type":"https://api.example.com/docs/errors#created_expired","title":"The signature is too old",
        "status":401,"detail":"Set the clock.","code":"created_expired","reason":"created is 400 s old",
        "requestId":"request_01","serverTime":"2027-01-15T08:06:40.000Z"}"#;
    let refusal = Refusal::from_response(StatusCode::UNAUTHORIZED, &headers, document).expect("a refusal");
    assert_eq!(refusal.code, "created_expired");
    assert_eq!(refusal.title, "The signature is too old");
    assert_eq!(refusal.detail, "Set the clock.");
    assert_eq!(refusal.reason.as_deref(), Some("created is 400 s old"));
    assert_eq!(refusal.request_id.as_deref(), Some("request_01"));
    assert_eq!(refusal.server_time, Some(at(1_800_000_400)));
    assert_eq!(refusal.problem_type, "https://api.example.com/docs/errors#created_expired");
    let message = "created_expired: The signature is too old. created is 400 s old. Set the clock. (request_01)";
    assert_eq!(refusal.to_string(), message);

    let signer = builder().now(|| at(1_800_000_000)).build().expect("a signer");
    assert!(signer.correct_clock(&refusal));
    assert_eq!(signer.sign("GET", URL, b"").expect("a signature").created, 1_800_000_400);
    let mut other = refusal.clone();
    other.code = "signature_invalid".to_owned();
    assert!(!signer.correct_clock(&other));
    for days in [-1.01, 1.01_f64] {
        let mut far = refusal.clone();
        far.server_time = Some(at((1_800_000_000.0 + days * 86_400.0) as u64));
        assert!(!signer.correct_clock(&far), "{days} days");
    }

    let none =
        |status, headers: &HeaderMap, body: &[u8]| assert_eq!(Refusal::from_response(status, headers, body), None);
    none(StatusCode::OK, &headers, document);
    none(StatusCode::CONFLICT, &headers, br#"{"code":"order_closed"}"#);
    none(StatusCode::CONFLICT, &headers, b"oops");
    none(StatusCode::CONFLICT, &headers, b"");
    none(StatusCode::NOT_FOUND, &headers, br#"{"code":"not_found"}"#);
    none(StatusCode::FORBIDDEN, &HeaderMap::new(), br#"{"code":"client_disabled"}"#);
}
