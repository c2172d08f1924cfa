use super::*;
use crate::testing::{Received, Verifier};

const URL: &str = "https://api.example.com/v1/payments";

fn vector_key(member: &str) -> String {
    let text = std::fs::read_to_string("../../vectors/profile/keys.json").expect("the keys of the vectors");
    let keys: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    keys["keys"]["rsa-2048-a"][member].as_str().expect("a key").to_owned()
}

type Variables<'a> = [(&'a str, &'a str)];

fn signer(variables: &Variables) -> Result<Signer, Error> {
    let read = |name: &str| variables.iter().find(|(each, _)| *each == name).map(|(_, value)| value.into());
    SignerBuilder::from_variables(read)?.build()
}

#[test]
fn names_the_variable_that_is_missing_and_repeats_no_value() {
    let key = vector_key("privateKeyPem");
    let (client_id, key) = (("COUNTERSIGN_CLIENT_ID", "shop"), ("COUNTERSIGN_PRIVATE_KEY", key.as_str()));
    let file = ("COUNTERSIGN_PRIVATE_KEY_FILE", "missing.pem");
    let cases: [(&Variables, ErrorCode, &str); 4] = [
        (&[key], ErrorCode::KeyidInvalid, "COUNTERSIGN_CLIENT_ID"),
        (&[("COUNTERSIGN_CLIENT_ID", ""), key], ErrorCode::KeyidInvalid, "COUNTERSIGN_CLIENT_ID"),
        (&[client_id], ErrorCode::PrivateKeyInvalid, "COUNTERSIGN_PRIVATE_KEY_FILE"),
        (&[client_id, key, file], ErrorCode::PrivateKeyInvalid, "COUNTERSIGN_PRIVATE_KEY_FILE"),
    ];
    for (variables, code, named) in cases {
        let error = signer(variables).expect_err("an error");
        assert_eq!(error.code(), code, "{variables:?}");
        let message = error.to_string();
        assert!(message.contains(named) && !message.contains("missing.pem") && !message.contains("MII"), "{message}");
    }
}

#[test]
fn signs_as_the_variables_say() {
    let path = env::temp_dir().join(format!("countersign-environment-{}.pem", std::process::id()));
    std::fs::write(&path, vector_key("privateKeyPem")).expect("a written file");
    let key = vector_key("privateKeyPem");
    let ways = [
        [
            ("COUNTERSIGN_PRIVATE_KEY", key.as_str()),
            ("COUNTERSIGN_PRIVATE_KEY_FILE", ""),
            ("COUNTERSIGN_PASSPHRASE", ""),
        ],
        [
            ("COUNTERSIGN_PRIVATE_KEY", ""),
            ("COUNTERSIGN_PRIVATE_KEY_FILE", path.to_str().expect("a path")),
            ("COUNTERSIGN_PASSPHRASE", "not needed"),
        ],
    ];
    for way in ways {
        let variables = [&way[..], &[("COUNTERSIGN_CLIENT_ID", "shop")]].concat();
        let signed = signer(&variables).expect("a signer").sign("GET", URL, b"").expect("a signed request");
        let verifier = Verifier::new("shop", &vector_key("publicKeyPem")).expect("a verifier");
        let received = Received { method: "GET", url: URL, headers: &signed.headers, body: b"" };
        verifier.verify(received).expect("an accepted request");
    }
    std::fs::remove_file(path).expect("a removed file");
}

/// The test above gives the variables by hand: changing those of the process is unsafe.
#[test]
fn reads_the_variables_of_the_process() {
    let error = SignerBuilder::from_environment().map(|_| ()).expect_err("a process without the variables");
    assert_eq!(error.code(), ErrorCode::KeyidInvalid);
    assert!(Signer::from_environment().is_err());
}

#[cfg(feature = "encrypted-keys")]
#[test]
fn decrypts_the_key_with_the_passphrase_of_the_variables() {
    let with = |passphrase| {
        signer(&[
            ("COUNTERSIGN_CLIENT_ID", "shop"),
            ("COUNTERSIGN_PRIVATE_KEY_FILE", "testdata/aes256-sha256.pem"),
            ("COUNTERSIGN_PASSPHRASE", passphrase),
        ])
    };
    assert_eq!(with("").map(|_| ()).expect_err("an error").code(), ErrorCode::PrivateKeyInvalid);
    with("horse").expect("a signer");
}
