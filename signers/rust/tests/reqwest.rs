//! The reqwest client against raw sockets.

mod support;
#[path = "support/wire.rs"]
mod wire;

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use ::reqwest::header::{HOST, HeaderValue};
use ::reqwest::{Body, Client, Method, Request, Response};
use bytes::Bytes;
use countersign_signer::reqwest::{client, client_with, refusal, signing_error};
use countersign_signer::{ErrorCode, Signer};
use http::Extensions;
use http_body::Frame;
use reqwest_middleware::{ClientWithMiddleware, Error, Middleware, Next};
use support::{builder, private_key, signer, verifier};
use wire::{OK, WireServer, rfc3339, service};

fn signing(signer: Signer) -> ClientWithMiddleware {
    client(signer, Client::builder()).expect("a client")
}

#[tokio::test]
async fn signs_the_target_that_arrives() {
    let server = WireServer::start(|_, _| OK.to_owned());
    let (client, verifier) = (signing(signer()), verifier());
    for (written, arriving) in [
        ("", "/"),
        ("?", "/?"),
        ("/v1/items?", "/v1/items?"),
        ("/v1/items?flag&x=", "/v1/items?flag&x="),
        ("/v1/items?b=2&a=1&b=1", "/v1/items?b=2&a=1&b=1"),
        ("/%7euser/~user", "/%7euser/~user"),
        ("/%c3%a9/%C3%A9", "/%c3%a9/%C3%A9"),
        ("/a%2fb/c%2Fd", "/a%2fb/c%2Fd"),
        ("//v1//items", "//v1//items"),
        ("/a;v=1,2/b:c@d/e!$&'()*+,=", "/a;v=1,2/b:c@d/e!$&'()*+,="),
        ("/[x]?filter[name]=x", "/[x]?filter[name]=x"),
        ("/?q=%5B%5d+%20~%7E", "/?q=%5B%5d+%20~%7E"),
        ("/?q=a#top", "/?q=a"),
        // The url crate rewrites these before anybody sees them.
        ("/a/../b/./c", "/b/c"),
        ("/%2e%2e/items", "/items"),
        ("/é b", "/%C3%A9%20b"),
        ("/?q=é b", "/?q=%C3%A9%20b"),
        ("/?q='\"<>`", "/?q=%27%22%3C%3E`"),
        ("/a|b^c?q=a|b^c\\", "/a|b^c?q=a|b^c\\"),
        ("/{x}?{y}", "/%7Bx%7D?{y}"),
    ] {
        client.get(server.url(written)).send().await.unwrap_or_else(|error| panic!("{written}: {error:?}"));
        let request = server.last();
        assert_eq!(request.target, arriving, "{written}");
        request.verify(&verifier).unwrap_or_else(|rejection| panic!("{written}: {rejection}"));
    }
}

#[tokio::test]
async fn signs_the_host_and_the_method_that_arrive() {
    let server = WireServer::start(|_, _| OK.to_owned());
    let (client, verifier) = (signing(signer()), verifier());
    let port = server.address.port();
    for (url, host, arriving) in [
        (format!("http://LOCALHOST:{port}/host"), None, format!("localhost:{port}")),
        (server.url("/host"), Some("API.example.com:80"), "api.example.com".to_owned()),
        (server.url("/host"), Some("api.example.com:443"), "api.example.com:443".to_owned()),
    ] {
        let mut request = client.get(&url);
        if let Some(host) = host {
            request = request.header(HOST, host);
        }
        request.send().await.expect("an answer");
        assert_eq!(server.last().header("host"), arriving);
        server.last().verify(&verifier).expect("an accepted request");
    }
    for (written, arriving) in [("get", "GET"), ("pAtCh", "PATCH"), ("PROPFIND", "PROPFIND"), ("query", "QUERY")] {
        let method = Method::from_bytes(written.as_bytes()).expect("a method");
        client.request(method, server.url("/method")).send().await.expect("an answer");
        assert_eq!(server.last().method, arriving);
        server.last().verify(&verifier).expect("an accepted request");
    }
}

/// A body that can be read once and does not know its length.
struct Once(Option<Bytes>);

impl http_body::Body for Once {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        match self.0.take() {
            Some(bytes) if bytes == "broken" => Poll::Ready(Some(Err(std::io::Error::other("disk failure")))),
            bytes => Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }
}

fn once(text: impl Into<Bytes>) -> Body {
    Body::wrap(Once(Some(text.into())))
}

#[tokio::test]
async fn signs_bodies_of_every_kind() {
    let server = WireServer::start(|_, _| OK.to_owned());
    let (client, verifier) = (signing(signer()), verifier());
    let binary: Vec<u8> = [0, 0xff, b'\r', b'\n'].repeat(16_384);
    for (method, body, expected) in [
        (Method::POST, None, Vec::new()),
        (Method::POST, Some(Body::from("")), Vec::new()),
        (Method::PUT, Some(once("")), Vec::new()),
        (Method::DELETE, Some(once("")), Vec::new()),
        (Method::POST, Some(Body::from("é\r\n")), "é\r\n".as_bytes().to_vec()),
        (Method::PUT, Some(Body::from(binary.clone())), binary.clone()),
        (Method::POST, Some(once(binary.clone())), binary.clone()),
        (Method::GET, Some(Body::from("{}")), b"{}".to_vec()),
    ] {
        let mut request = client.request(method, server.url("/body"));
        if let Some(body) = body {
            request = request.body(body);
        }
        request.send().await.expect("an answer");
        let arrived = server.last();
        assert_eq!(arrived.body, expected);
        assert_eq!(arrived.headers.contains_key("content-digest"), !expected.is_empty());
        arrived.verify(&verifier).expect("an accepted request");
    }
}

#[tokio::test]
async fn rejects_what_it_cannot_sign() {
    let client = signing(builder().body_bytes_max(4).build().expect("a signer"));
    let url = "http://127.0.0.1:1/";
    let long = format!("{url}?{}", "x".repeat(9000));
    for (request, code) in [
        (client.post(url).body("12345"), ErrorCode::BodyTooLarge),
        (client.post(url).body(once("12345")), ErrorCode::BodyTooLarge),
        (client.post(url).body(once("broken")), ErrorCode::RequestInvalid),
        (client.get(long), ErrorCode::RequestInvalid),
        (client.request(Method::CONNECT, url), ErrorCode::RequestInvalid),
        (client.get("ftp://127.0.0.1/"), ErrorCode::RequestInvalid),
        (client.get(url).header(HOST, "a/b"), ErrorCode::RequestInvalid),
    ] {
        let error = request.send().await.expect_err("an error");
        assert_eq!(signing_error(&error).map(|error| error.code()), Some(code), "{error}");
    }
}

#[tokio::test]
async fn replaces_signatures_of_the_caller() {
    let server = WireServer::start(|_, _| OK.to_owned());
    let mut request = signing(signer()).get(server.url("/replaces"));
    for name in ["signature", "signature-input", "content-digest", "date"] {
        request = request.header(name, "old");
    }
    request.send().await.expect("an answer");
    let arrived = server.last();
    assert!(!arrived.headers.values().any(|value| value == HeaderValue::from_static("old")));
    arrived.verify(&verifier()).expect("an accepted request");
}

/// Sends everything three times.
struct Again;

#[async_trait::async_trait]
impl Middleware for Again {
    async fn handle(&self, request: Request, extensions: &mut Extensions, next: Next<'_>) -> Result<Response, Error> {
        for _ in 0..2 {
            next.clone().run(request.try_clone().expect("a copy"), extensions).await?;
        }
        next.run(request, extensions).await
    }
}

#[tokio::test]
async fn signs_every_attempt_of_a_retry_again() {
    let server = WireServer::start(|_, _| OK.to_owned());
    let verifier = verifier();
    let client = client_with(signer(), Client::builder(), vec![Arc::new(Again)]).expect("a client");
    client.post(server.url("/again")).body("{}").send().await.expect("an answer");
    assert_eq!(server.received().len(), 3);
    for request in server.received() {
        request.verify(&verifier).expect("an accepted request");
    }
}

/// Sends what fails up to three times.
struct Retry;

#[async_trait::async_trait]
impl Middleware for Retry {
    async fn handle(&self, request: Request, extensions: &mut Extensions, next: Next<'_>) -> Result<Response, Error> {
        for _ in 0..2 {
            match next.clone().run(request.try_clone().expect("a copy"), extensions).await {
                Ok(response) if response.status().is_success() => return Ok(response),
                _ => (),
            }
        }
        next.run(request, extensions).await
    }
}

fn refused_with(status: u16, code: &str) -> String {
    problem(status, &format!(r##"{{"type":"https://api.example.com/docs/errors#{code}","code":"{code}"}}"##))
}

#[tokio::test]
async fn signs_no_repeat_that_the_api_may_have_carried_out() {
    let busy = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".to_owned();
    for answer in [String::new(), busy, refused_with(504, "upstream_timeout"), refused_with(401, "signature_replayed")]
    {
        for method in ["POST", "PATCH", "REPORT"] {
            let answer = answer.clone();
            let server = WireServer::start(move |_, _| answer.clone());
            let client = client_with(signer(), Client::builder(), vec![Arc::new(Retry)]).expect("a client");
            let name = Method::from_bytes(method.as_bytes()).expect("a method");
            let error = client.request(name, server.url("/pay")).body("{}").send().await.expect_err("an error");
            let error = signing_error(&error).expect("an error of the signer");
            assert_eq!(error.code(), ErrorCode::RepeatNotSigned);
            assert!(error.to_string().starts_with(&format!("This {method} was sent once already")), "{error}");
            assert_eq!(server.received().len(), 1, "{method}");
        }
    }
}

#[tokio::test]
async fn signs_repeats_that_are_safe() {
    let ours = || builder().idempotency_keys(true).build().expect("a signer");
    for (method, answer, key, signer, length) in [
        (Method::POST, String::new(), Some("one"), signer(), 3),
        (Method::POST, String::new(), None, ours(), 36),
        (Method::POST, refused_with(503, "guard_full"), None, signer(), 0),
        (Method::PUT, String::new(), None, ours(), 0),
    ] {
        let server = WireServer::start(move |number, _| if number == 0 { answer.clone() } else { OK.to_owned() });
        let client = client_with(signer, Client::builder(), vec![Arc::new(Retry)]).expect("a client");
        let mut request = client.request(method, server.url("/pay")).body("{}");
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        request.send().await.expect("an answer");
        let (received, verifier) = (server.received(), verifier());
        assert_eq!(received.len(), 2);
        for request in &received {
            request.verify(&verifier).expect("an accepted request");
            assert_eq!(request.header("idempotency-key"), received[0].header("idempotency-key"));
            assert_eq!(request.header("idempotency-key").len(), length);
        }
    }
}

/// Sends a request with one key after the other.
struct Rekey([&'static str; 2]);

#[async_trait::async_trait]
impl Middleware for Rekey {
    async fn handle(
        &self,
        mut request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response, Error> {
        for key in self.0 {
            request.headers_mut().insert("idempotency-key", HeaderValue::from_static(key));
            let _ = next.clone().run(request.try_clone().expect("a copy"), extensions).await?;
        }
        next.run(request, extensions).await
    }
}

#[tokio::test]
async fn signs_no_repeat_with_another_idempotency_key() {
    for keys in [["one", "two"], ["", "two"], ["one", ""]] {
        let server = WireServer::start(|_, _| "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".to_owned());
        let client = client_with(signer(), Client::builder(), vec![Arc::new(Rekey(keys))]).expect("a client");
        let error = client.post(server.url("/pay")).body("{}").send().await.expect_err("an error");
        assert_eq!(signing_error(&error).expect("an error of the signer").code(), ErrorCode::RepeatNotSigned);
        assert_eq!(server.received().len(), 1, "{keys:?}");
    }
}

#[tokio::test]
async fn a_refusal_clears_only_the_attempt_that_it_answers() {
    let refusal = refused_with(503, "recently_restarted");
    let server = WireServer::start(move |number, _| if number == 0 { String::new() } else { refusal.clone() });
    let client = client_with(signer(), Client::builder(), Vec::new()).expect("a client");
    let mut extensions = Extensions::new();
    for (key, arrived) in [("one", 1), ("one", 2), ("two", 2)] {
        let request = client.post(server.url("/pay")).header("idempotency-key", key).body("{}").build();
        let _ = client.execute_with_extensions(request.expect("a request"), &mut extensions).await;
        assert_eq!(server.received().len(), arrived);
    }
}

#[tokio::test]
async fn signs_no_payment_again_after_a_redirect() {
    for status in [302, 303, 307] {
        let server = WireServer::start(move |_, request| match request.target.as_str() {
            "/pay" => redirect(status, "/done"),
            _ => refused_with(429, "rate_limited"),
        });
        let client = client_with(signer(), Client::builder(), vec![Arc::new(Retry)]).expect("a client");
        let error = client.post(server.url("/pay")).body("{}").send().await.expect_err("an error");
        assert_eq!(signing_error(&error).expect("an error of the signer").code(), ErrorCode::RepeatNotSigned);
        assert_eq!(server.received().iter().filter(|request| request.target == "/pay").count(), 1, "{status}");
    }
}

#[tokio::test]
async fn gives_each_call_with_common_extensions_a_key_of_its_own() {
    let server = WireServer::start(|_, _| OK.to_owned());
    let signer = builder().idempotency_keys(true).build().expect("a signer");
    let client = client_with(signer, Client::builder(), Vec::new()).expect("a client");
    let mut extensions = Extensions::new();
    for _ in 0..2 {
        let request = client.post(server.url("/pay")).body("{}").build().expect("a request");
        client.execute_with_extensions(request, &mut extensions).await.expect("an answer");
    }
    let received = server.received();
    assert_ne!(received[0].header("idempotency-key"), received[1].header("idempotency-key"));
}

#[tokio::test]
async fn equal_reads_are_accepted_everywhere() {
    for verifier in [verifier(), verifier().strict()] {
        let server = WireServer::start(move |_, request| match request.verify(&verifier) {
            Ok(()) => "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned(),
            Err(rejection) if request.method == "HEAD" => format!(
                "HTTP/1.1 401 No\r\nContent-Type: application/problem+json\r\nWWW-Authenticate: Signature error=\"{}\"\r\n\
                 Content-Length: 0\r\n\r\n",
                rejection.code
            ),
            Err(rejection) => refused_with(401, rejection.code),
        });
        let client = client_with(signer(), Client::builder(), Vec::new()).expect("a client");
        for method in [Method::GET, Method::HEAD] {
            for _ in 0..12 {
                let response = client.request(method.clone(), server.url("/equal")).send().await.expect("an answer");
                assert_eq!(response.status().as_u16(), 200);
            }
        }
    }
}

#[tokio::test]
async fn takes_over_no_clock_of_the_api() {
    let own = r##"{"type":"https://shop.example/problems#created_expired","code":"created_expired","serverTime":"2030-01-01T00:00:00Z"}"##;
    let server = WireServer::start(move |_, _| problem(409, own));
    // An hour after serverTime.
    let now = || std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_893_452_400);
    let signer = builder().now(now).build().expect("a signer");
    let client = client_with(signer.clone(), Client::builder(), Vec::new()).expect("a client");
    let response = client.post(server.url("/pay")).body("{}").send().await.expect("an answer");
    assert_eq!(response.status().as_u16(), 409);
    assert_eq!(server.received().len(), 1);
    assert_eq!(signer.sign("PUT", "https://a.test/", b"").expect("a signature").created, 1_893_452_400);
}

#[tokio::test]
async fn signs_a_repeat_of_what_was_not_sent() {
    let client = client_with(signer(), Client::builder(), vec![Arc::new(Retry)]).expect("a client");
    let error = client.post("http://127.0.0.1:1/").body("{}").send().await.expect_err("an error");
    assert!(signing_error(&error).is_none(), "{error}");
}

#[tokio::test]
async fn says_that_the_first_request_of_a_replay_may_have_been_accepted() {
    let server = WireServer::start(|_, _| refused_with(401, "signature_replayed"));
    let error = signing(signer()).post(server.url("/")).body("{}").send().await.expect_err("a refusal");
    let text = refusal(&error).expect("a refusal").to_string();
    assert!(text.contains("may have been accepted: look it up"), "{text}");
}

#[tokio::test]
async fn never_sends_a_signature_twice_when_a_kept_connection_breaks() {
    let server = WireServer::start(|number, _| if number == 1 { String::new() } else { OK.to_owned() });
    // A policy of the caller that would send the old signature again.
    let policy = ::reqwest::retry::for_host("127.0.0.1").classify_fn(|request| request.retryable());
    let client = client(signer(), Client::builder().retry(policy)).expect("a client");
    for _ in 0..3 {
        // Whether the second one fails is up to the client.
        if let Ok(response) = client.get(server.url("/kept")).send().await {
            response.bytes().await.expect("a body");
        }
    }
    let verifier = verifier();
    for request in server.received() {
        request.verify(&verifier).expect("an accepted request");
    }
}

fn redirect(status: u16, location: &str) -> String {
    format!("HTTP/1.1 {status} Elsewhere\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n")
}

#[tokio::test]
async fn signs_redirects_to_its_origin_only() {
    let other = WireServer::start(|_, _| OK.to_owned());
    let away = other.url("/stay");
    let server = service(verifier(), SystemTime::now, move |request| match request.target.as_str() {
        "/see" => redirect(303, "/end"),
        "/found" => redirect(302, "end?found"),
        "/same" => redirect(307, "/end?again"),
        "/away" => redirect(307, &away),
        "/user" => redirect(307, "http://a:b@127.0.0.1/"),
        "/loop" => redirect(308, "/loop"),
        _ => OK.to_owned(),
    });
    let client = signing(signer());
    for (path, status, method, body) in [
        ("/see", 200, "GET", ""),
        ("/found", 200, "GET", ""),
        ("/same", 200, "POST", "x"),
        ("/away", 307, "POST", "x"),
        ("/user", 307, "POST", "x"),
        ("/loop", 308, "POST", "x"),
    ] {
        let request = client.post(server.url(path)).header("content-type", "text/plain").body("x");
        let response = request.send().await.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(response.status(), status, "{path}");
        let last = server.last();
        assert_eq!((last.method.as_str(), last.body.as_slice()), (method, body.as_bytes()), "{path}");
        assert_eq!(last.headers.contains_key("content-type"), method == "POST", "{path}");
    }
    assert_eq!(server.received().iter().filter(|request| request.target == "/loop").count(), 11);
    assert!(other.received().is_empty(), "a redirect to another origin was followed");
}

#[tokio::test]
async fn takes_over_the_service_clock_once() {
    for (offset, is_ahead) in [(3600, false), (600, true), (23 * 3600, true)] {
        for method in [Method::POST, Method::HEAD] {
            let clock = move || {
                let offset = Duration::from_secs(offset);
                if is_ahead { SystemTime::now() + offset } else { SystemTime::now() - offset }
            };
            let server = service(verifier().now(clock), clock, |request| {
                let body = String::from_utf8_lossy(&request.body).into_owned();
                let (length, body) = (body.len(), if request.method == "HEAD" { "" } else { &body });
                format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}")
            });
            let client = signing(signer());
            // The first one is sent twice, the second one once.
            for sent in [2, 3] {
                let request = client.request(method.clone(), server.url("/clock")).body("hello");
                let response = request.send().await.expect("an answer");
                if method == Method::POST {
                    assert_eq!(response.text().await.expect("a body"), "hello");
                }
                assert_eq!(server.received().len(), sent, "{method} {offset}");
            }
        }
    }
}

fn problem(status: u16, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} No\r\nContent-Type: application/problem+json\r\nContent-Length: {length}\r\n\r\n{body}")
}

#[tokio::test]
async fn corrects_the_clock_at_most_once_and_a_day() {
    let now = SystemTime::now();
    let day = Duration::from_secs(24 * 3600 + 60);
    for (code, server_time, sent) in [
        ("created_expired", rfc3339(now), 2),
        ("date_mismatch", rfc3339(now), 2),
        ("created_expired", rfc3339(now + day), 1),
        ("created_in_future", rfc3339(now - day), 1),
        ("created_expired", String::new(), 1),
        ("signature_invalid", rfc3339(now), 1),
    ] {
        let body =
            format!(r##"{{"type":"https://a.test/docs/errors#{code}","code":"{code}","serverTime":"{server_time}"}}"##);
        let requests = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&requests);
        let server = WireServer::start(move |_, _| {
            // Ends a client that would go on forever.
            if counter.fetch_add(1, Ordering::Relaxed) < 5 { problem(401, &body) } else { OK.to_owned() }
        });
        let error = signing(signer()).get(server.url("/clock")).send().await.expect_err("a refusal");
        assert_eq!(refusal(&error).map(|refusal| refusal.code.as_str()), Some(code));
        assert_eq!(requests.load(Ordering::Relaxed), sent, "{code} {server_time}");
    }
}

#[tokio::test]
async fn refusals_are_typed() {
    let server = service(verifier(), SystemTime::now, |_| OK.to_owned());
    let stranger = || Signer::builder("stranger").private_key(private_key("rsa-2048-b"));
    for method in [Method::GET, Method::HEAD] {
        let client = signing(stranger().build().expect("a signer"));
        let error = client.request(method, server.url("/typed")).send().await.expect_err("a refusal");
        let refusal = refusal(&error).expect("a refusal");
        assert_eq!((refusal.status.as_u16(), refusal.code.as_str()), (401, "signature_invalid"));
        assert!(signing_error(&error).is_none());
    }
    let client = signing(stranger().refusals_as_errors(false).build().expect("a signer"));
    let response = client.get(server.url("/response")).send().await.expect("a response");
    assert_eq!(response.status(), 401);
    assert_eq!(response.url().as_str(), server.url("/response"));
    assert!(response.text().await.expect("a body").contains("signature_invalid"));
}

#[tokio::test]
async fn passes_errors_of_the_api_through() {
    let long = format!(r#"{{"code":"order_closed","detail":"{}"}}"#, "x".repeat(200_000));
    for (status, body) in [
        (409, r#"{"code":"order_closed"}"#),
        (409, long.as_str()),
        (404, r#"{"code":"not_found"}"#),
        (403, r#"{"code":"client_disabled"}"#),
        (403, r#"{"code":"client_disabled","type":"about:blank"}"#),
        (403, r#"{"code":"client_disabled","type":"https://a.test/problems/client_disabled"}"#),
        (429, r##"{"code":"rate_limited","type":"https://a.test/docs/errors#rate_limited"}"##),
        (503, r##"{"code":"guard_full","type":"https://a.test/docs/errors#guard_full"}"##),
        (500, "oops"),
        (404, ""),
    ] {
        let answer = problem(status, body);
        let server = WireServer::start(move |_, _| answer.clone());
        let response = signing(signer()).get(server.url("/errors")).send().await.expect("a response");
        assert_eq!(response.status(), status);
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        assert_eq!(response.text().await.expect("a body"), body);
    }
    let server = WireServer::start(|_, _| problem(200, r#"{"code":"client_disabled"}"#));
    signing(signer()).get(server.url("/success")).send().await.expect("a response");
    let server = WireServer::start(|_, _| refused_with(403, "client_disabled"));
    let error = signing(signer()).get(server.url("/ours")).send().await.expect_err("a refusal");
    assert_eq!(refusal(&error).map(|refusal| refusal.code.as_str()), Some("client_disabled"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn equal_requests_from_many_tasks_are_accepted() {
    let server = service(verifier(), SystemTime::now, |_| OK.to_owned());
    let client = signing(signer());
    let tasks: Vec<_> = (0..24).map(|_| tokio::spawn(client.post(server.url("/equal")).body("same").send())).collect();
    for task in tasks {
        task.await.expect("a task").expect("an accepted request");
    }
    let signatures: HashSet<_> =
        server.received().iter().map(|request| request.header("signature").to_owned()).collect();
    assert_eq!(signatures.len(), 24);
}
