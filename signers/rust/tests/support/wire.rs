//! A server that records requests as they arrive, down to the last byte of the request line.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use countersign_signer::testing::{Received, Rejection, Verifier};
use http::header::{HeaderMap, HeaderName, HeaderValue};

pub const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct WireRequest {
    pub method: String,
    pub target: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl WireRequest {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub fn verify(&self, verifier: &Verifier) -> Result<(), Rejection> {
        let url = format!("http://{}{}", self.header("host"), self.target);
        verifier.verify(Received { method: &self.method, url: &url, headers: &self.headers, body: &self.body })
    }
}

/// Listens until the process ends.
pub struct WireServer {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<WireRequest>>>,
}

impl WireServer {
    /// `answer` gets the number of a request, from 0, and returns what is written; "" closes the connection.
    pub fn start(answer: impl Fn(usize, &WireRequest) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let received = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (Arc::new(answer), Arc::clone(&received));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, log) = (Arc::clone(&answer), Arc::clone(&log));
                thread::spawn(move || serve(stream, &log, &*answer));
            }
        });
        Self { address, received }
    }

    pub fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }

    pub fn received(&self) -> Vec<WireRequest> {
        self.received.lock().expect("the log").clone()
    }

    pub fn last(&self) -> WireRequest {
        self.received().pop().expect("a request")
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<WireRequest>>, answer: &dyn Fn(usize, &WireRequest) -> String) {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    while let Some(request) = read(&mut reader) {
        let number = {
            let mut log = log.lock().expect("the log");
            log.push(request.clone());
            log.len() - 1
        };
        let answer = answer(number, &request);
        if answer.is_empty() || stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<WireRequest> {
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line).ok().filter(|length| *length > 0)?;
        if line == b"\r\n" {
            break;
        }
        lines.push(line.strip_suffix(b"\r\n").expect("CRLF").to_vec());
    }
    let request_line = String::from_utf8(lines.remove(0)).expect("ASCII");
    let (method, rest) = request_line.split_once(' ').expect("a method");
    let target = rest.strip_suffix(" HTTP/1.1").expect("a version");
    let mut headers = HeaderMap::new();
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':').expect("a colon");
        let name = HeaderName::from_bytes(&line[..colon]).expect("a name");
        headers.append(name, HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).expect("a value"));
    }
    assert!(!headers.contains_key("transfer-encoding"), "the length is not sent");
    let length = headers.get("content-length").map_or("0", |value| value.to_str().expect("digits"));
    let mut body = vec![0; length.parse().expect("a length")];
    reader.read_exact(&mut body).ok()?;
    Some(WireRequest { method: method.to_owned(), target: target.to_owned(), headers, body })
}

/// Answers as a service does: what the verifier rejects with a problem document, and everything else as `accepted` says.
pub fn service(
    verifier: Verifier,
    now: impl Fn() -> std::time::SystemTime + Send + Sync + 'static,
    accepted: impl Fn(&WireRequest) -> String + Send + Sync + 'static,
) -> WireServer {
    WireServer::start(move |_, request| match request.verify(&verifier) {
        Ok(()) => accepted(request),
        Err(rejection) => {
            let date = httpdate::fmt_http_date(now());
            let time = rfc3339(now());
            let code = rejection.code;
            let body = format!(
                r##"{{"type":"https://a.test/docs/errors#{code}","status":401,"code":"{code}","title":"Rejected","serverTime":"{time}"}}"##
            );
            let length = body.len();
            let body = if request.method == "HEAD" { "" } else { &body };
            format!(
                "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/problem+json\r\nDate: {date}\r\n\
                 WWW-Authenticate: Signature error=\"{code}\"\r\nContent-Length: {length}\r\n\r\n{body}"
            )
        }
    })
}

/// Rewrites an IMF-fixdate, because the standard library writes no dates.
pub fn rfc3339(time: std::time::SystemTime) -> String {
    let date = httpdate::fmt_http_date(time);
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = months.iter().position(|name| *name == &date[8..11]).expect("a month") + 1;
    format!("{}-{month:02}-{}T{}Z", &date[12..16], &date[5..7], &date[17..25])
}
