//! Signs and verifies with httpsig-hyper: reads one task in JSON from each line, writes one result to each line.
use httpsig::prelude::message_component::HttpMessageComponentId;
use httpsig::prelude::{AlgorithmName, HttpSignatureParams, PublicKey, SecretKey, SharedKey, SigningKey, VerifyingKey};
use httpsig_hyper::{MessageSignatureReqSync, MessageSignatureResSync};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::io::{BufRead, Write};

#[derive(Deserialize)]
struct Component {
    name: String,
    key: Option<String>,
    #[serde(default)]
    req: bool,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    method: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

#[derive(Deserialize, Default)]
struct Times {
    created: Option<u64>,
    expires: Option<u64>,
}

#[derive(Deserialize, Default)]
struct Texts {
    keyid: Option<String>,
    alg: Option<String>,
    nonce: Option<String>,
    tag: Option<String>,
}

#[derive(Deserialize)]
struct Task {
    operation: String,
    algorithm: String,
    key: String,
    label: String,
    request: Message,
    response: Option<Message>,
    components: Vec<Component>,
    times: Times,
    texts: Texts,
}

#[derive(Serialize, Default)]
struct Outcome {
    lines: Vec<(String, String)>,
    verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let outcome = run(&line.unwrap()).unwrap_or_else(|error| Outcome {
            problem: Some(error.to_string()),
            ..Outcome::default()
        });
        writeln!(output, "{}", serde_json::to_string(&outcome).unwrap()).unwrap();
    }
}

fn run(line: &str) -> Fallible<Outcome> {
    let task: Task = serde_json::from_str(line)?;
    let algorithm: AlgorithmName = task.algorithm.parse()?;
    let is_hmac = matches!(algorithm, AlgorithmName::HmacSha256);
    if task.operation == "sign" {
        if is_hmac {
            return sign(&task, &SharedKey::from_base64(&algorithm, &task.key)?);
        }
        return sign(&task, &SecretKey::from_pem(&algorithm, &task.key)?);
    }
    if is_hmac {
        return verify(&task, &SharedKey::from_base64(&algorithm, &task.key)?);
    }
    verify(&task, &PublicKey::from_pem(&algorithm, &task.key)?)
}

fn sign(task: &Task, key: &(impl SigningKey + Sync)) -> Fallible<Outcome> {
    let mut components = Vec::new();
    for Component { name, key, req } in &task.components {
        let of_key = key.as_ref().map(|key| format!(";key=\"{key}\"")).unwrap_or_default();
        let of_request = if *req { ";req" } else { "" };
        components.push(HttpMessageComponentId::try_from(
            format!("\"{name}\"{of_request}{of_key}").as_str(),
        )?);
    }
    let mut params = HttpSignatureParams::try_new(&components)?;
    params.created = task.times.created;
    params.expires = task.times.expires;
    params.keyid = task.texts.keyid.clone();
    params.alg = task.texts.alg.clone();
    params.nonce = task.texts.nonce.clone();
    params.tag = task.texts.tag.clone();
    let mut request = request_of(&task.request)?;
    let headers = match &task.response {
        None => {
            request.set_message_signature_sync(&params, key, Some(&task.label))?;
            request.headers().clone()
        }
        Some(response) => {
            let mut response = response_of(response)?;
            response.set_message_signature_sync(&params, key, Some(&task.label), Some(&request))?;
            response.headers().clone()
        }
    };
    let mut lines = Vec::new();
    for name in ["signature-input", "signature"] {
        lines.push((name.to_string(), headers[name].to_str()?.to_string()));
    }
    Ok(Outcome { lines, ..Outcome::default() })
}

fn verify(task: &Task, key: &(impl VerifyingKey + Sync)) -> Fallible<Outcome> {
    let request = request_of(&task.request)?;
    let keyid = task.texts.keyid.as_deref();
    match &task.response {
        None => request.verify_message_signature_sync(key, keyid)?,
        Some(response) => response_of(response)?.verify_message_signature_sync(key, keyid, Some(&request))?,
    };
    Ok(Outcome { verified: true, ..Outcome::default() })
}

fn request_of(message: &Message) -> Fallible<http::Request<String>> {
    let mut builder = http::Request::builder().method(message.method.as_str()).uri(&message.url);
    for (name, value) in &message.headers {
        builder = builder.header(name, value);
    }
    Ok(builder.body(message.body.clone())?)
}

fn response_of(message: &Message) -> Fallible<http::Response<String>> {
    let mut builder = http::Response::builder().status(message.status);
    for (name, value) in &message.headers {
        builder = builder.header(name, value);
    }
    Ok(builder.body(message.body.clone())?)
}
