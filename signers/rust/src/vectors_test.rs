use std::fs;

use serde_json::Value;

use super::*;

const FOLDER: &str = "../../vectors/profile";

fn read(name: &str) -> Value {
    let text = fs::read_to_string(format!("{FOLDER}/{name}")).expect("a file of the vectors");
    serde_json::from_str(&text).expect("JSON")
}

fn body(given: &Value) -> Vec<u8> {
    match (given["file"].as_str(), given["base64"].as_str()) {
        (Some(file), _) => fs::read(format!("{FOLDER}/{file}")).expect("a body of the vectors"),
        (None, encoded) => STANDARD.decode(encoded.unwrap_or_default()).expect("Base64"),
    }
}

#[test]
fn signs_the_vectors_byte_for_byte() {
    let keys = read("keys.json");
    let vectors = read("positive.json");
    let cases = vectors["cases"].as_array().expect("cases");
    assert!(cases.len() > 90);
    for case in cases {
        let (input, output) = (&case["signer"]["input"], &case["signer"]["output"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let key = text(&keys["keys"][text(&input["privateKey"])]["privateKeyPem"]);
        let created = input["created"].as_u64().expect("created");
        let signer = Signer::builder(text(&input["keyid"]))
            .private_key(key)
            .now(move || UNIX_EPOCH + Duration::from_secs(created))
            .build()
            .expect("a signer");
        let (url, body) = (text(&input["url"]), body(&case["request"]["body"]));
        let mut signed = signer.sign(&text(&input["method"]), &url, &body).expect("a signature");
        let date = httpdate::parse_http_date(&text(&input["date"])).expect("a date");
        if date != UNIX_EPOCH + Duration::from_secs(created) {
            // `sign` takes both from one reading of the clock.
            let content_digest = (!body.is_empty()).then(|| content_digest(&body));
            let covered = Covered { method: signed.method, url, content_digest };
            let date = date.duration_since(UNIX_EPOCH).expect("after 1970").as_secs() as i64;
            signed = signer.sign_at(&covered, created as i64, date).expect("a signature");
        }
        let header = |name: &str| signed.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let id = &case["id"];
        assert_eq!(signed.base, text(&output["signatureBase"]), "{id}");
        assert_eq!(header("content-digest"), text(&output["contentDigest"]), "{id}");
        assert_eq!(header("date"), text(&input["date"]), "{id}");
        assert_eq!(header("signature-input"), text(&output["signatureInput"]), "{id}");
        assert_eq!(header("signature"), text(&output["signature"]), "{id}");
    }
}
