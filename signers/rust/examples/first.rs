//! Sends a signed request:
//!
//!     CLIENT_ID=client_… PRIVATE_KEY_FILE=private.pem cargo run -- https://api.example.com/v1/whoami

use std::env;
use std::error::Error;

use countersign_signer::{Signer, reqwest::refusal};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().nth(1).ok_or("give a URL")?;
    let signer = Signer::builder(env::var("CLIENT_ID")?).private_key_file(env::var("PRIVATE_KEY_FILE")?).build()?;
    let client = countersign_signer::reqwest::client(signer, reqwest::Client::builder())?;

    match client.get(url).send().await {
        Ok(response) => println!("{}\n{}", response.status(), response.text().await?),
        Err(error) => match refusal(&error) {
            Some(refusal) => return Err(format!("{}: {}", refusal.code, refusal.detail).into()),
            None => return Err(error.into()),
        },
    }
    Ok(())
}
