//! A [`reqwest`](https://docs.rs/reqwest) client that signs everything it sends.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ::reqwest::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue, LOCATION, TRANSFER_ENCODING,
};
use ::reqwest::{Body, ClientBuilder, Method, Request, Response, ResponseBuilderExt as _, redirect, retry};
use bytes::{Bytes, BytesMut};
use http::{Extensions, Uri};
use http_body::{Body as _, Frame, SizeHint};
use reqwest_middleware::{ClientWithMiddleware, Error, Middleware, Next};

use crate::attempts::{Attempts, is_unsafe};
use crate::error::{Error as SigningError, ErrorCode, request_invalid};
use crate::refusal::{Refusal, is_problem};
use crate::sign::replace_signature;
use crate::signer::Signer;
use crate::target::{apply_target, final_target};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The number of redirects that reqwest follows by default.
const REDIRECTS_MAX: usize = 10;
/// Far more than a problem document of the service has.
const REFUSAL_BYTES_MAX: usize = 64 << 10;

/// Returns a client that signs every request in the form that goes over the wire, and signs again for each attempt.
///
/// It buffers bodies for their digest. It follows redirects to the same origin itself, because reqwest would send the old
/// signature along; one to another origin is returned as the response. Redirect and retry policies of the builder are
/// therefore replaced. If the service says that the clock is wrong, the client takes over the service's clock and sends the
/// request once more.
///
/// A refusal is an error, in which [`refusal`] finds it, unless
/// [`refusals_as_errors`](crate::SignerBuilder::refusals_as_errors) is off, or its status is 429 or 503, which retrying
/// middleware knows.
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// use countersign_signer::Signer;
///
/// let signer = Signer::builder("client_7").private_key_file("private.pem").build()?;
/// let client = countersign_signer::reqwest::client(signer, reqwest::Client::builder())?;
/// let response = client.get("https://api.example.com/v1/orders").send().await?;
/// # Ok(())
/// # }
/// ```
pub fn client(signer: Signer, builder: ClientBuilder) -> Result<ClientWithMiddleware, ::reqwest::Error> {
    client_with(signer, builder, Vec::new())
}

/// Like [`client`], with other middleware around the signing one. A middleware that retries gets a new signature for each
/// attempt. If it repeats a POST, a PATCH or an unknown method that may have been carried out, the call fails with
/// [`ErrorCode::RepeatNotSigned`], unless the request has an `Idempotency-Key`.
pub fn client_with(
    signer: Signer,
    builder: ClientBuilder,
    outer: Vec<Arc<dyn Middleware>>,
) -> Result<ClientWithMiddleware, ::reqwest::Error> {
    let client = builder.redirect(redirect::Policy::none()).retry(retry::never()).build()?;
    let mut stack = outer;
    stack.push(Arc::new(Signing { signer }));
    Ok(ClientWithMiddleware::new(client, stack))
}

/// Returns the refusal that made a request fail, if it was one.
pub fn refusal(error: &Error) -> Option<&Refusal> {
    match error {
        Error::Middleware(cause) => cause.downcast_ref(),
        Error::Reqwest(_) => None,
    }
}

/// Returns the error that kept a request from being signed, if it was one.
pub fn signing_error(error: &Error) -> Option<&SigningError> {
    match error {
        Error::Middleware(cause) => cause.downcast_ref(),
        Error::Reqwest(_) => None,
    }
}

/// Must be the innermost middleware of a client that neither follows redirects nor retries.
struct Signing {
    signer: Signer,
}

#[async_trait::async_trait]
impl Middleware for Signing {
    async fn handle(&self, request: Request, extensions: &mut Extensions, next: Next<'_>) -> Result<Response, Error> {
        let mut request = self.buffer_body(request).await.map_err(Error::middleware)?;
        let (mut is_clock_corrected, mut is_second_changed) = (false, false);
        let mut redirects = 0;
        let mut follows_redirect = false;
        let attempts = extensions.get_or_insert_default::<Attempts>().clone();
        self.add_idempotency_key(&mut request, &attempts)?;
        loop {
            let (response, refusal) =
                self.attempt(&request, extensions, next.clone(), &attempts, follows_redirect).await?;
            follows_redirect = false;
            if let Some(refusal) = refusal {
                if !is_clock_corrected && self.signer.correct_clock(&refusal) {
                    is_clock_corrected = true;
                    continue;
                }
                if !is_second_changed && self.signer.change_second(request.method().as_str(), &refusal) {
                    is_second_changed = true;
                    continue;
                }
                if self.signer.0.refusals_as_errors && !refusal.is_temporary() {
                    return Err(Error::middleware(refusal));
                }
            }
            match redirected(&request, &response) {
                Some(following) if redirects < REDIRECTS_MAX => request = following,
                _ => return Ok(response),
            }
            redirects += 1;
            follows_redirect = true;
        }
    }
}

impl Signing {
    fn add_idempotency_key(&self, request: &mut Request, attempts: &Attempts) -> Result<(), Error> {
        if self.signer.0.idempotency_keys && needs_key(request) {
            let key = HeaderValue::from_str(&attempts.idempotency_key()).map_err(Error::middleware)?;
            request.headers_mut().insert(IDEMPOTENCY_KEY, key);
        }
        Ok(())
    }

    /// Signs and sends a request, unless it would be a second payment.
    async fn attempt(
        &self,
        request: &Request,
        extensions: &mut Extensions,
        next: Next<'_>,
        attempts: &Attempts,
        follows_redirect: bool,
    ) -> Result<(Response, Option<Refusal>), Error> {
        let (method, url) = (request.method().as_str(), request.url().as_str());
        attempts.begin(method, url, &idempotency_key(request), follows_redirect).map_err(Error::middleware)?;
        let signed = self.sign(request).await.inspect_err(|_| attempts.settle(method, url));
        let sent = next.run(signed.map_err(Error::middleware)?, extensions).await;
        if matches!(&sent, Err(Error::Reqwest(error)) if error.is_connect()) {
            attempts.settle(method, url);
        }
        let (response, refusal) = read_refusal(sent?).await?;
        attempts.answered(method, url, response.status().as_u16(), refusal.as_ref());
        Ok((response, refusal))
    }

    /// Replaces a body that can be read once by its bytes.
    async fn buffer_body(&self, mut request: Request) -> Result<Request, SigningError> {
        let limit = self.signer.0.body_bytes_max;
        // The client writes them for the bytes that are signed, whatever the caller announced.
        for name in [CONTENT_LENGTH, TRANSFER_ENCODING] {
            request.headers_mut().remove(name);
        }
        let Some(mut body) = request.body_mut().take() else {
            return Ok(request);
        };
        if body.as_bytes().is_none() {
            let mut bytes = BytesMut::new();
            while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
                let frame = frame.map_err(|source| {
                    SigningError::with_source(ErrorCode::RequestInvalid, "the body cannot be read", source)
                })?;
                if let Ok(data) = frame.into_data() {
                    bytes.extend_from_slice(&data);
                }
                if bytes.len() > limit {
                    return Err(self.signer.body_too_large());
                }
            }
            body = Body::from(bytes.freeze());
        }
        // Without a body, there is nothing to send or to cover.
        if body.as_bytes().is_some_and(|bytes| !bytes.is_empty()) || needs_length(request.method()) {
            *request.body_mut() = Some(body);
        }
        Ok(request)
    }

    /// Returns a signed copy. The key may block, on a disk or a network.
    async fn sign(&self, request: &Request) -> Result<Request, SigningError> {
        let mut copy = request.try_clone().ok_or_else(|| request_invalid("the body cannot be sent again"))?;
        let uri: Uri = copy.url().as_str().parse().map_err(|source| {
            SigningError::with_source(ErrorCode::RequestInvalid, "the URL cannot be sent: percent-encode it", source)
        })?;
        let target = final_target(&uri, copy.headers())?;
        let url = target.url.clone();
        if apply_target(&target, copy.headers_mut())?.path_and_query() != uri.path_and_query() {
            return Err(request_invalid("the URL cannot be sent as it is: percent-encode it"));
        }
        let signer = self.signer.clone();
        let method = copy.method().as_str().to_owned();
        let body = copy.body().and_then(Body::as_bytes).map(Bytes::copy_from_slice).unwrap_or_default();
        let signed =
            tokio::task::spawn_blocking(move || signer.sign(&method, &url, &body)).await.map_err(|source| {
                SigningError::with_source(ErrorCode::SigningFailed, "the private key failed to sign", source)
            })??;
        *copy.method_mut() =
            Method::from_bytes(signed.method.as_bytes()).map_err(|_| request_invalid("the method is not a token"))?;
        replace_signature(copy.headers_mut(), &signed);
        Ok(copy)
    }
}

/// Whether a request must not be repeated: it is not idempotent, and has no key.
fn needs_key(request: &Request) -> bool {
    is_unsafe(request.method().as_str()) && idempotency_key(request).is_empty()
}

/// Empty without one.
fn idempotency_key(request: &Request) -> String {
    let key = request.headers().get(IDEMPOTENCY_KEY).map(HeaderValue::as_bytes).unwrap_or_default();
    String::from_utf8_lossy(key.trim_ascii()).into_owned()
}

/// Whether servers expect a length even of an empty body (RFC 9110 section 8.6).
fn needs_length(method: &Method) -> bool {
    matches!(method.as_str().to_ascii_uppercase().as_str(), "POST" | "PUT" | "PATCH")
}

/// Returns the request that a redirect within the origin asks for. That of another origin is not followed.
fn redirected(request: &Request, response: &Response) -> Option<Request> {
    let status = response.status().as_u16();
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let url = request.url().join(location).ok()?;
    if url.origin() != request.url().origin() || !url.username().is_empty() {
        return None;
    }
    let mut following = request.try_clone()?;
    *following.url_mut() = url;
    let method = request.method().as_str().to_ascii_uppercase();
    let becomes_get = match status {
        301 | 302 => method == "POST",
        303 => !matches!(method.as_str(), "GET" | "HEAD"),
        _ => false,
    };
    if becomes_get {
        *following.method_mut() = Method::GET;
        *following.body_mut() = None;
        for name in [CONTENT_TYPE, CONTENT_LENGTH, CONTENT_ENCODING, IDEMPOTENCY_KEY] {
            following.headers_mut().remove(name);
        }
    }
    // A Host header of the caller stays, because the origin stays.
    debug_assert_eq!(following.headers().get(HOST), request.headers().get(HOST));
    Some(following)
}

/// Reads the start of a problem document. The response stays readable from its beginning.
async fn read_refusal(response: Response) -> Result<(Response, Option<Refusal>), Error> {
    if !is_problem(response.status(), response.headers()) {
        return Ok((response, None));
    }
    let url = response.url().clone();
    let (head, mut rest) = http::Response::<Body>::from(response).into_parts();
    let mut start = BytesMut::new();
    while start.len() < REFUSAL_BYTES_MAX {
        match poll_fn(|context| Pin::new(&mut rest).poll_frame(context)).await {
            Some(frame) => start.extend_from_slice(&frame?.into_data().unwrap_or_default()),
            None => break,
        }
    }
    let refusal = Refusal::from_response(head.status, &head.headers, &start);
    let body = Body::wrap(ResumedBody { start: Some(start.freeze()), rest });
    let mut resumed = http::Response::builder().url(url).body(body).map_err(Error::middleware)?;
    *resumed.status_mut() = head.status;
    *resumed.version_mut() = head.version;
    *resumed.headers_mut() = head.headers;
    resumed.extensions_mut().extend(head.extensions);
    Ok((Response::from(resumed), refusal))
}

/// Begins with what has been read of a body.
struct ResumedBody {
    start: Option<Bytes>,
    rest: Body,
}

impl http_body::Body for ResumedBody {
    type Data = Bytes;
    type Error = ::reqwest::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ::reqwest::Error>>> {
        match self.start.take() {
            Some(start) if !start.is_empty() => Poll::Ready(Some(Ok(Frame::data(start)))),
            _ => Pin::new(&mut self.rest).poll_frame(context),
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
