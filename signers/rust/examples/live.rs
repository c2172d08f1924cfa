//! Sends the requests that it reads from standard input, for the tests of all signers. signers/README.md describes its
//! input and output.

use std::convert::Infallible;
use std::env;
use std::io::{BufRead as _, Write as _, stdin, stdout};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use countersign_signer::reqwest::{client, refusal, signing_error};
use countersign_signer::{ErrorCode, Signer};
use http_body::Frame;
use reqwest::{Body, Method};
use reqwest_middleware::ClientWithMiddleware;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

const CLIENT: &str = "reqwest";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let signer = Signer::builder(env::var("CLIENT_ID")?).private_key_file(env::var("PRIVATE_KEY_FILE")?).build()?;
    let client = client(signer, reqwest::Client::builder().no_proxy())?;
    let workers = env::var("WORKERS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let free = Arc::new(Semaphore::new(workers));
    print(&json!({ "clients": [CLIENT], "knows": ["isStream", "timeoutMs"] }))?;
    for line in stdin().lock().lines() {
        let order: Value = serde_json::from_str(&line?)?;
        let permit = Arc::clone(&free).acquire_owned().await?;
        let client = client.clone();
        tokio::spawn(async move {
            let result = send(&client, &order).await;
            // An error means that nobody listens any more.
            let _ = print(&result);
            drop(permit);
        });
    }
    let all = u32::try_from(workers)?;
    drop(free.acquire_many(all).await?);
    Ok(())
}

fn print(value: &Value) -> std::io::Result<()> {
    writeln!(stdout().lock(), "{value}")
}

async fn send(client: &ClientWithMiddleware, order: &Value) -> Value {
    let id = &order["id"];
    let fail = |code: &str, message: String| json!({ "id": id, "error": code, "message": message });
    let text = |name: &str| order[name].as_str().unwrap_or_default();
    if text("client") != CLIENT {
        return fail("client_unknown", format!("there is no client {}", text("client")));
    }
    let invalid = ErrorCode::RequestInvalid.as_str();
    let Ok(method) = Method::from_bytes(text("method").as_bytes()) else {
        return fail(invalid, "the method is not a token".to_owned());
    };
    let mut request = client.request(method, text("url"));
    for header in order["headers"].as_array().into_iter().flatten() {
        request = request.header(header[0].as_str().unwrap_or_default(), header[1].as_str().unwrap_or_default());
    }
    if let Some(encoded) = order["body"].as_str() {
        match STANDARD.decode(encoded) {
            Ok(body) if order["isStream"] == true => request = request.body(Body::wrap(Once(Some(body.into())))),
            Ok(body) => request = request.body(body),
            Err(error) => return fail(invalid, error.to_string()),
        }
    }
    if let Some(milliseconds) = order["timeoutMs"].as_u64() {
        request = request.timeout(Duration::from_millis(milliseconds));
    }
    let response = match request.send().await {
        Ok(response) => response,
        Err(error) => {
            return match (refusal(&error), signing_error(&error)) {
                (Some(refusal), _) => {
                    json!({ "id": id, "status": refusal.status.as_u16(), "code": refusal.code, "body": "" })
                }
                (None, Some(unsigned)) => fail(unsigned.code().as_str(), unsigned.to_string()),
                (None, None) => fail("not_sent", format!("{error:?}")),
            };
        }
    };
    let status = response.status().as_u16();
    match response.bytes().await {
        Ok(body) => json!({ "id": id, "status": status, "code": null, "body": STANDARD.encode(body) }),
        Err(error) => fail("not_received", format!("{error:?}")),
    }
}

/// A body that can be read once, and whose length nobody knows.
struct Once(Option<Bytes>);

impl http_body::Body for Once {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}
