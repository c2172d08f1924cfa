use std::fs;

use ring::signature::KeyPair as _;

use super::*;

fn vector_key(name: &str) -> String {
    let text = fs::read_to_string("../../vectors/profile/keys.json").expect("the keys of the vectors");
    let keys: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    keys["keys"][name]["privateKeyPem"].as_str().expect("a key").to_owned()
}

/// Writes a file as a rotation does, atomically.
fn replace(path: &PathBuf, content: &str) {
    let new = path.with_extension("new");
    fs::write(&new, content).expect("a written file");
    fs::rename(new, path).expect("a renamed file");
}

#[test]
fn follows_the_key_file() {
    let path = std::env::temp_dir().join(format!("countersign-key-{}.pem", std::process::id()));
    let public = |name: &str| read_private_key(&vector_key(name), None).expect("a key").public_key().as_ref().to_vec();
    let (a, b) = (public("rsa-2048-a"), public("rsa-2048-b"));
    replace(&path, &vector_key("rsa-2048-a"));
    let file = FileKey::open(path.clone(), None).expect("a key file");
    let used = || {
        // Makes the check due without waiting for it.
        let mut state = file.state.lock().expect("the state");
        state.checked_at = state.checked_at.checked_sub(FILE_CHECK_INTERVAL).expect("a monotonic clock that has run");
        drop(state);
        file.current().0.public_key().as_ref().to_vec()
    };
    assert!(FILE_CHECK_INTERVAL <= Duration::from_secs(1));
    assert_eq!(used(), a);
    replace(&path, &vector_key("rsa-2048-b"));
    assert_eq!(used(), b, "the new key is used");
    replace(&path, &vector_key("rsa-2048-a")[..500]);
    assert_eq!(used(), b, "a file that is half written changes nothing");
    replace(&path, &vector_key("rsa-2048-a"));
    assert_eq!(used(), a, "the file is read again after a failure");
    fs::remove_file(&path).expect("a removed file");
    assert_eq!(used(), a, "the key stays when the file is gone");
}
