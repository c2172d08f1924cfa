//! Sends a signed request:
//!
//!     CLIENT_ID=client_… cargo run -- https://api.example.com/v1/whoami

use std::env;
use std::error::Error;

use countersign_signer::{Signer, reqwest::refusal};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().nth(1).ok_or("give a URL")?;
    let client_id = env::var("CLIENT_ID").or(Err("set CLIENT_ID to the Client ID from the portal"))?;
    let signer = Signer::builder(client_id).private_key_file("private.pem").build()?;
    let client = countersign_signer::reqwest::client(signer, reqwest::Client::builder())?;

    match client.get(url).send().await {
        Ok(response) => println!("{}\n{}", response.status(), response.text().await?),
        Err(error) => match refusal(&error) {
            Some(refusal) => return Err(refusal.to_string().into()), // its code, what is wrong, and what to do
            None => return Err(error.into()),
        },
    }
    Ok(())
}
