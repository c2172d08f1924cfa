//! What several tests share.
#![allow(dead_code, reason = "not every test uses everything")]

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use countersign_signer::testing::Verifier;
use countersign_signer::{Signer, SignerBuilder};
use serde_json::Value;

pub const VECTORS: &str = "../../vectors/profile";

pub fn vectors(name: &str) -> Value {
    let text = fs::read_to_string(format!("{VECTORS}/{name}")).expect("a file of the vectors");
    serde_json::from_str(&text).expect("JSON")
}

pub fn private_key(name: &str) -> String {
    vectors("keys.json")["keys"][name]["privateKeyPem"].as_str().expect("a key").to_owned()
}

pub fn public_key(name: &str) -> String {
    vectors("keys.json")["keys"][name]["publicKeyPem"].as_str().expect("a key").to_owned()
}

pub fn builder() -> SignerBuilder {
    Signer::builder("shop").private_key(private_key("rsa-2048-a"))
}

pub fn signer() -> Signer {
    builder().build().expect("a signer")
}

pub fn verifier() -> Verifier {
    Verifier::new("shop", &public_key("rsa-2048-a")).expect("a verifier")
}

pub fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

/// A folder that is removed at the end of a test.
pub struct Folder(pub std::path::PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("countersign-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
