//! Sends a signed request and prints the response.

use std::env;
use std::error::Error;

use countersign_signer::{Signer, reqwest::refusal};

const CLIENT_ID: &str = "client_…";
const PRIVATE_KEY_FILE: &str = "private.pem";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let base_url = env::var("COUNTERSIGN_BASE_URL").unwrap_or_else(|_| "http://127.0.0.1:8421".to_owned());
    let signer = Signer::builder(CLIENT_ID).private_key_file(PRIVATE_KEY_FILE).build()?;
    let client = countersign_signer::reqwest::client(signer, reqwest::Client::builder())?;

    let request = client
        .post(format!("{base_url}/v1/signature-test"))
        .header("Content-Type", "application/json")
        .body(r#"{"hello":"from Rust"}"#);
    match request.send().await {
        Ok(response) => println!("{}\n{}", response.status(), response.text().await?),
        Err(error) => match refusal(&error) {
            Some(refusal) => return Err(refusal.to_string().into()), // its code, what is wrong, and what to do
            None => return Err(error.into()),
        },
    }
    Ok(())
}
