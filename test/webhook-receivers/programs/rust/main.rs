//! Runs the function of the page on each line of a file: secret, ID, time, signature, body in Base64, now.
use base64::{engine::general_purpose::STANDARD, Engine};

#[path = "../webhooks.rs"]
mod webhooks;

fn main() {
    for line in std::fs::read_to_string("cases").expect("the cases").lines() {
        let parts: Vec<&str> = line.split('|').collect();
        let body = STANDARD.decode(parts[4]).expect("a body");
        let now = parts[5].parse().expect("a time");
        let is_good = webhooks::is_from_service(parts[0], parts[1], parts[2], parts[3], &body, now);
        println!("{}", if is_good { "accept" } else { "reject" });
    }
}
