// Sends planned requests with Rust's HTTP clients. One JSON document per line: a job in, what its author holds out, the
// headers in, the outcome out.
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::Write;
use std::io::{BufRead, stdin};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

type Outcome<Value> = Result<Value, Box<dyn Error>>;
type Pairs = Vec<(String, String)>;
type Client = fn(&Job, &Pairs) -> Outcome<()>;
type Serialiser = fn(&str) -> Outcome<String>;
type Query = fn(&Pairs) -> Outcome<String>;

const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Job {
    #[serde(default)]
    client: String,
    way: String,
    #[serde(default)]
    method: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    query: Pairs,
    data: Option<Box<RawValue>>,
    text: Option<String>,
    signs: Option<String>,
    sends: Option<String>,
    holds: Option<String>,
}

impl Job {
    fn data(&self) -> &str {
        self.data.as_ref().map_or("null", |data| data.get())
    }

    fn value(&self) -> Outcome<Value> {
        Ok(serde_json::from_str(self.data())?)
    }

    /// The URL that a caller builds for a client without parameters.
    fn whole_url(&self) -> Outcome<String> {
        Ok(match self.way.as_str() {
            "query" => format!("{}?{}", self.url, serde_urlencoded::to_string(&self.query)?),
            _ => self.url.clone(),
        })
    }

    /// The body that a caller builds for a client without forms and JSON.
    fn whole_body(&self) -> Outcome<Option<String>> {
        Ok(match self.way.as_str() {
            "form" => Some(serde_urlencoded::to_string(&self.query)?),
            "json" => Some(serde_json::to_string(&self.value()?)?),
            _ => self.text.clone(),
        })
    }
}

const CLIENTS: &[(&str, Client)] = &[
    ("reqwest", |job, headers| {
        let client = reqwest::blocking::Client::builder().timeout(TIMEOUT).no_proxy().build()?;
        let mut request = client.request(reqwest::Method::from_bytes(job.method.as_bytes())?, &job.url);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request = match (job.way.as_str(), &job.text) {
            ("query", _) => request.query(&job.query),
            ("form", _) => request.form(&job.query),
            ("json", _) => request.json(&job.value()?),
            (_, Some(text)) => request.body(text.clone()),
            _ => request,
        };
        request.send()?;
        Ok(())
    }),
    ("ureq", |job, headers| {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().timeout_global(Some(TIMEOUT)).allow_non_standard_methods(true).build().into();
        if job.way == "query" {
            let pairs = job.query.iter().map(|(name, value)| (name, value));
            let request =
                headers.iter().fold(agent.get(&job.url), |request, (name, value)| request.header(name, value));
            request.query_pairs(pairs).call()?;
            return Ok(());
        }
        if job.way == "form" || job.way == "json" {
            let request = match job.method.as_str() {
                "PUT" => agent.put(&job.url),
                "PATCH" => agent.patch(&job.url),
                _ => agent.post(&job.url),
            };
            let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
            match job.way.as_str() {
                "form" => request.send_form(job.query.iter().map(|(name, value)| (name, value)))?,
                _ => request.send_json(job.value()?)?,
            };
            return Ok(());
        }
        let request = ureq::http::Request::builder().method(job.method.as_str()).uri(&job.url);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        match &job.text {
            Some(text) => agent.run(request.body(text.clone())?)?,
            None => agent.run(request.body(())?)?,
        };
        Ok(())
    }),
    ("hyper", |job, headers| {
        use hyper_util::rt::TokioExecutor;
        let request = hyper::Request::builder().method(job.method.as_str()).uri(job.whole_url()?);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        let body = http_body_util::Full::<hyper::body::Bytes>::from(job.whole_body()?.unwrap_or_default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let client = hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build_http();
            tokio::time::timeout(TIMEOUT, client.request(request.body(body)?)).await??;
            Ok(())
        })
    }),
    ("attohttpc", |job, headers| {
        let method = attohttpc::Method::from_bytes(job.method.as_bytes())?;
        let mut request = attohttpc::RequestBuilder::try_new(method, &job.url)?.timeout(TIMEOUT);
        for (name, value) in headers {
            let name = attohttpc::header::HeaderName::from_bytes(name.as_bytes())?;
            request = request.try_header(name, value.as_str())?;
        }
        match (job.way.as_str(), &job.text) {
            ("query", _) => request.params(job.query.iter().map(|(name, value)| (name, value))).send()?,
            ("form", _) => request.form(&job.query)?.send()?,
            ("json", _) => request.json(&job.value()?)?.send()?,
            (_, Some(text)) => request.text(text).send()?,
            _ => request.send()?,
        };
        Ok(())
    }),
    ("minreq", |job, headers| {
        let method = match job.method.as_str() {
            "GET" => minreq::Method::Get,
            "HEAD" => minreq::Method::Head,
            "POST" => minreq::Method::Post,
            "PUT" => minreq::Method::Put,
            "PATCH" => minreq::Method::Patch,
            "DELETE" => minreq::Method::Delete,
            "OPTIONS" => minreq::Method::Options,
            other => minreq::Method::Custom(other.to_string()),
        };
        let mut request = minreq::Request::new(method, &job.url).with_timeout(TIMEOUT.as_secs());
        for (name, value) in headers {
            request = request.with_header(name, value);
        }
        request = match job.way.as_str() {
            "query" => job.query.iter().fold(request, |request, (name, value)| request.with_param(name, value)),
            "json" => request.with_json(&job.value()?)?,
            _ => match job.whole_body()? {
                Some(body) => request.with_body(body),
                None => request,
            },
        };
        request.send()?;
        Ok(())
    }),
];

const SERIALISERS: &[(&str, Serialiser)] = &[
    ("serde_json", |data| Ok(serde_json::to_string(&serde_json::from_str::<Value>(data)?)?)),
    ("serde_json pretty", |data| Ok(serde_json::to_string_pretty(&serde_json::from_str::<Value>(data)?)?)),
    ("serde_json raw", |data| Ok(serde_json::to_string(&serde_json::from_str::<&RawValue>(data)?)?)),
    ("serde_json HashMap", |data| {
        let members: HashMap<String, Value> = serde_json::from_str(data)?;
        Ok(serde_json::to_string(&members)?)
    }),
    ("serde_json twice", |data| Ok(serde_json::to_string(data)?)),
    ("sonic-rs", |data| Ok(sonic_rs::to_string(&sonic_rs::from_str::<sonic_rs::Value>(data)?)?)),
    ("sonic-rs pretty", |data| Ok(sonic_rs::to_string_pretty(&sonic_rs::from_str::<sonic_rs::Value>(data)?)?)),
    ("simd-json", |data| {
        let mut bytes = data.as_bytes().to_vec();
        Ok(simd_json::to_string(&simd_json::to_owned_value(&mut bytes)?)?)
    }),
    ("json", |data| Ok(json::parse(data)?.dump())),
    ("json pretty", |data| Ok(json::parse(data)?.pretty(4))),
    ("tinyjson", |data| Ok(data.parse::<tinyjson::JsonValue>()?.stringify()?)),
    ("tinyjson format", |data| Ok(data.parse::<tinyjson::JsonValue>()?.format()?)),
    ("Debug", |data| Ok(format!("{:?}", serde_json::from_str::<Value>(data)?))),
];

/// Everything that is no part of a query, so that its separators are escaped too.
const PERCENT_QUERY: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'&')
    .add(b'=')
    .add(b'+')
    .add(b'%');

const QUERIES: &[(&str, Query)] = &[
    ("naive", |query| Ok(joined(query, str::to_string))),
    ("serde_urlencoded", |query| Ok(serde_urlencoded::to_string(query)?)),
    ("url", |query| Ok(url::form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish())),
    ("url query", |query| {
        let mut url = url::Url::parse("http://localhost/")?;
        url.set_query(Some(&joined(query, str::to_string)));
        Ok(url.query().unwrap_or_default().to_string())
    }),
    ("percent-encoding", |query| {
        let escaped = |text: &str| percent_encoding::utf8_percent_encode(text, PERCENT_QUERY).to_string();
        Ok(joined(query, escaped))
    }),
    ("percent-encoding alphanumeric", |query| {
        let set = percent_encoding::NON_ALPHANUMERIC;
        Ok(joined(query, |text| percent_encoding::utf8_percent_encode(text, set).to_string()))
    }),
    ("urlencoding", |query| Ok(joined(query, |text| urlencoding::encode(text).into_owned()))),
    ("serde_qs", |query| {
        let mut fields: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, value) in query {
            fields.entry(name).or_default().push(value);
        }
        let members = fields.into_iter().map(|(name, values)| match values.as_slice() {
            [value] => (name, json!(value)),
            _ => (name, json!(values)),
        });
        Ok(serde_qs::to_string(&members.collect::<BTreeMap<_, _>>())?)
    }),
];

/// Escapes the values alone, as most callers do.
fn joined(query: &Pairs, escaped: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for (name, value) in query {
        let separator = if text.is_empty() { "" } else { "&" };
        let _ = write!(text, "{separator}{name}={}", escaped(value));
    }
    text
}

fn named<Entry: Copy>(table: &[(&str, Entry)], name: Option<&String>) -> Outcome<Entry> {
    let name = name.ok_or("no name")?;
    let found = table.iter().find(|(known, _)| known == name).ok_or("not known")?;
    Ok(found.1)
}

fn names<Entry>(table: &[(&'static str, Entry)]) -> Vec<&'static str> {
    table.iter().map(|(name, _)| *name).collect()
}

fn held(job: &Job) -> Outcome<Value> {
    let mut url = job.url.clone();
    let mut body = job.text.clone();
    match job.way.as_str() {
        "query" => url = format!("{url}?{}", named(QUERIES, job.signs.as_ref())?(&job.query)?),
        "form" => body = Some(named(QUERIES, job.signs.as_ref())?(&job.query)?),
        "json" => {
            body = match &job.holds {
                Some(text) => Some(text.clone()),
                None => Some(named(SERIALISERS, job.signs.as_ref())?(job.data())?),
            }
        }
        _ => {}
    }
    Ok(json!({ "url": url, "body": body.map(|body| STANDARD.encode(body)) }))
}

fn answer(job: &mut Job, headers: &mut dyn FnMut() -> Outcome<Pairs>) -> Outcome<()> {
    if job.way == "serialise" {
        let text = named(SERIALISERS, job.signs.as_ref())?(job.data())?;
        say(&json!({ "held": { "url": "", "body": STANDARD.encode(text) } }));
        return Ok(());
    }
    let held = held(job)?;
    if job.sends.is_some() {
        job.text = Some(named(SERIALISERS, job.sends.as_ref())?(job.data())?);
        job.way = "text".to_string();
    }
    say(&json!({ "held": held }));
    let headers = headers()?;
    named(CLIENTS, Some(&job.client))?(job, &headers)?;
    say(&json!({ "sent": true }));
    Ok(())
}

fn say(value: &Value) {
    println!("{value}");
}

#[derive(Deserialize)]
struct Signed {
    headers: Pairs,
}

fn main() -> Outcome<()> {
    say(&json!({ "clients": names(CLIENTS), "serialisers": names(SERIALISERS), "queries": names(QUERIES) }));
    let mut lines = stdin().lock().lines();
    while let Some(line) = lines.next() {
        let mut job: Job = match serde_json::from_str(&line?) {
            Ok(job) => job,
            Err(error) => {
                say(&json!({ "error": error.to_string() }));
                continue;
            }
        };
        let mut headers = || -> Outcome<Pairs> {
            let line = lines.next().ok_or("no headers")??;
            Ok(serde_json::from_str::<Signed>(&line)?.headers)
        };
        if let Err(error) = answer(&mut job, &mut headers) {
            say(&json!({ "error": error.to_string() }));
        }
    }
    Ok(())
}
