"""Signing for ``requests``.

>>> session = requests.Session()
>>> session.auth = CountersignAuth(signer)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from requests.structures import CaseInsensitiveDict

from countersign._repeats import IDEMPOTENCY_KEY, check_repeat, needs_key, new_idempotency_key
from countersign._urls import target_uri
from countersign.errors import RefusedError, is_problem, read_head_refusal, read_refusal
from countersign.signer import body_too_large, request_invalid

if TYPE_CHECKING:
    from collections.abc import ItemsView

    from countersign.signer import SignedRequest, Signer

_READ_BYTES = 64 * 1024
_PERCENT_ENCODED = re.compile("%[0-9A-Fa-f]{2}")
# Some versions merge slashes at the start of the target, which only an adapter tells.
_ADAPTER = HTTPAdapter()


class CountersignAuth(AuthBase):
    """Signs the final URL and body of each request, and each further attempt again.

    Redirects to the same origin are signed again; others are followed without the signature.
    Retries by an adapter's ``max_retries`` are signed again, unless they could carry out a request
    twice. The body is kept in memory for its digest.

    Raises:
        SigningError: the request cannot be signed; nothing was sent.
        RepeatNotSignedError: a retry of a POST, a PATCH or another request that is not idempotent,
            and has no ``Idempotency-Key``.
        RefusedError: the service rejected the request, unless the signer has
            ``raises_refusals=False``.

    """

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    def __call__(self, r: PreparedRequest) -> PreparedRequest:
        """Sign a prepared request in place; ``requests`` calls it."""
        if not r.url or not r.method:
            raise request_invalid("it has no URL or no method")
        _buffer_body(r, self._signer.body_bytes_max)
        r.url = _wire_url(r)
        if self._signer.idempotency_keys and needs_key(r.method, r.headers.get(IDEMPOTENCY_KEY)):
            r.headers[IDEMPOTENCY_KEY] = new_idempotency_key()
            self._sign(r, adds_key=True)
        else:
            self._sign(r)
        r.register_hook("response", self._handle_response)
        return r

    def _sign(self, request: PreparedRequest, *, adds_key: bool = False) -> None:
        self._remove_signature(request)
        signature = _Signature(self._signer, request, adds_key=adds_key)
        request.headers = _SignedHeaders(request.headers, signature)

    def _handle_response(self, response: Response, **kwargs: Any) -> Response:
        request = response.request
        if isinstance(request.headers, _SignedHeaders):
            # What is sent from now on is another call.
            request.headers.end_call()
        if "Signature" not in request.headers:
            return response  # A redirect has left the origin.
        refusal = _refusal(response)
        if refusal and self._signer.correct_clock(refusal):
            response = self._send_again(response, kwargs)
            refusal = _refusal(response)
        if refusal and self._signer.change_second(request.method or "", refusal):
            response = self._send_again(response, kwargs)
            refusal = _refusal(response)
        if response.is_redirect:
            self._sign_redirect(request, response)
        if refusal and self._signer.raises_refusals and not refusal.is_temporary:
            raise refusal
        return response

    def _send_again(self, response: Response, kwargs: dict[str, Any]) -> Response:
        response.close()
        request = response.request.copy()
        self._sign(request)
        second: Response = response.connection.send(request, **kwargs)
        second.history.append(response)
        second.request = request
        return second

    def _sign_redirect(self, request: PreparedRequest, response: Response) -> None:
        """Prepare the headers that ``requests`` copies from a request into the one that follows."""
        response.request = request.copy()
        session = Session()
        session.trust_env = False
        following = next(session.resolve_redirects(response, request, yield_requests=True))
        # With yield_requests it yields requests, against its declaration.
        redirected = cast("PreparedRequest", following)
        same_origin = _origin(redirected) == _origin(request)
        self._remove_signature(request)
        if same_origin:
            signature = _Signature(self._signer, redirected)
            request.headers = _SignedHeaders(request.headers, signature)

    def _remove_signature(self, request: PreparedRequest) -> None:
        headers = CaseInsensitiveDict(request.headers)
        for name in self._signer.signature_headers:
            headers.pop(name, None)
        request.headers = headers


class _Signature:
    """The signature of one request, made anew for each further attempt to send it."""

    def __init__(self, signer: Signer, request: PreparedRequest, *, adds_key: bool = False) -> None:
        self._signer = signer
        self._adds_key = adds_key
        self._key: str | bytes | None = None
        self._method = request.method or ""
        self._url = _target_uri(request)
        self._body = cast("bytes | None", request.body)
        self._signed: SignedRequest = self._sign()
        self._is_sent = False
        self._is_answered = False

    @property
    def current(self) -> dict[str, str]:
        return self._signed.headers

    def next(self, idempotency_key: str | bytes | None) -> dict[str, str]:
        added: dict[str, str] = {}
        if self._is_sent:
            if not self._is_answered:
                check_repeat(self._method, idempotency_key, self._key)
            elif self._adds_key:
                # A prepared request may be sent for several calls.
                idempotency_key = new_idempotency_key()
                added = {IDEMPOTENCY_KEY: idempotency_key}
            self._signed = self._sign()
        self._is_sent, self._is_answered, self._key = True, False, idempotency_key
        return {**self._signed.headers, **added}

    def end_call(self) -> None:
        self._is_answered = True

    def _sign(self) -> SignedRequest:
        return self._signer.sign(self._method, self._url, self._body)


class _SignedHeaders(CaseInsensitiveDict["str | bytes"]):
    """Header fields that are signed again when urllib3 sends them again.

    ``max_retries`` of an adapter repeats requests inside urllib3, which no hook sees. It takes the
    fields of each attempt from ``items()``, of a copy in urllib3 1.
    """

    def __init__(self, headers: Any, signature: _Signature) -> None:
        super().__init__(headers)
        self._signature = signature
        self.update(signature.current)

    def items(self) -> ItemsView[str, str | bytes]:
        self.update(self._signature.next(self.get(IDEMPOTENCY_KEY)))
        return super().items()

    def end_call(self) -> None:
        self._signature.end_call()

    def copy(self) -> CaseInsensitiveDict[str | bytes]:
        return _SignedHeaders(super().copy(), self._signature)


def _buffer_body(request: PreparedRequest, limit: int) -> None:
    """Replace text, files and generators by their bytes."""
    body: Any = request.body
    if isinstance(body, str):
        body = body.encode("utf-8")
    elif body is not None and not isinstance(body, (bytes, bytearray)):
        body = _read_stream(body, limit)
        vars(request)["_body_position"] = None  # Bytes need no rewinding.
    # Requests announces the bytes itself afterwards: what the caller wrote may be another length.
    for name in ("Transfer-Encoding", "Content-Length"):
        request.headers.pop(name, None)
    request.body = bytes(body) if body else None


def _read_stream(stream: Any, limit: int) -> bytes:
    body = bytearray()
    read = getattr(stream, "read", None)
    chunks = iter(lambda: read(_READ_BYTES), None) if read else iter(stream)
    for chunk in chunks:
        if read and not chunk:
            break
        body += chunk.encode("utf-8") if isinstance(chunk, str) else chunk
        if len(body) > limit:
            raise body_too_large(limit)
    return bytes(body)


def _wire_url(request: PreparedRequest) -> str:
    url = urlsplit(request.url or "")
    return target_uri(url.scheme, url.netloc, _target(request))


def _target_uri(request: PreparedRequest) -> str:
    url = urlsplit(request.url or "")
    host: Any = request.headers.get("Host") or url.netloc
    authority = host.decode("latin-1") if isinstance(host, bytes) else host
    return target_uri(url.scheme, authority, _target(request))


def _target(request: PreparedRequest) -> str:
    """Return the request target as urllib3 writes it, which encodes what ``requests`` does not."""
    target: str = _ADAPTER.request_url(request, {})
    target = _PERCENT_ENCODED.sub(lambda match: match[0].upper(), target)
    return target.replace("[", "%5B").replace("]", "%5D")


def _origin(request: PreparedRequest) -> str:
    url = urlsplit(request.url or "")
    return target_uri(url.scheme, url.netloc.lower(), "")


def _refusal(response: Response) -> RefusedError | None:
    content_type = response.headers.get("Content-Type")
    if not is_problem(response.status_code, content_type):
        return None
    if response.request.method == "HEAD":
        return read_head_refusal(response.status_code, response.headers, response)
    return read_refusal(response.status_code, content_type, response.content, response)
