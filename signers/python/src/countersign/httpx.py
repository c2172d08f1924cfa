"""Signing for ``httpx``, sync and async.

>>> client = httpx.Client(auth=CountersignAuth(signer))
>>> client = httpx.AsyncClient(auth=CountersignAuth(signer))

``httpx`` follows redirects behind the back of its auth. To sign them before they are sent too:

>>> hooks = {"request": [sign_redirect]}  # or sign_redirect_async, for an AsyncClient
>>> client = httpx.Client(auth=CountersignAuth(signer), event_hooks=hooks, follow_redirects=True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio.to_thread
import httpx

from countersign._repeats import IDEMPOTENCY_KEY, check_repeat, needs_key, new_idempotency_key
from countersign._urls import target_uri
from countersign.errors import RefusedError, is_problem, read_head_refusal, read_refusal
from countersign.signer import body_too_large

if TYPE_CHECKING:
    from collections.abc import (
        AsyncGenerator,
        AsyncIterator,
        Generator,
        ItemsView,
        Iterator,
        KeysView,
        ValuesView,
    )

    from countersign.signer import SignedRequest, Signer

_REDIRECTS_MAX = 20
# The request extension with the key that the signer has added.
_ADDED_KEY = "countersign_idempotency_key"
# The request extension with the call, which httpx copies into the requests of redirects.
_EXCHANGE = "countersign_exchange"
# They announce an empty body too, as httpx does.
_METHODS_WITH_LENGTH = ("POST", "PUT", "PATCH")


class CountersignAuth(httpx.Auth):
    """Signs the final URL and body of each request, and each further attempt again.

    A redirect is followed without the signature, and signed when the service asks for it, unless it
    led to another origin. With ``sign_redirect`` among the client's request hooks, it is signed
    before it is sent. The body is kept in memory for its digest.

    Raises:
        SigningError: the request cannot be signed; nothing was sent.
        RepeatNotSignedError: a transport repeated a POST, a PATCH or another request that is not
            idempotent, and has no ``Idempotency-Key``.
        RefusedError: the service rejected the request, unless the signer has
            ``raises_refusals=False``.

    """

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    def sync_auth_flow(
        self, request: httpx.Request
    ) -> Generator[httpx.Request, httpx.Response, None]:
        """Sign in this thread; ``httpx.Client`` calls it."""
        exchange = _Exchange(self._signer)
        following: httpx.Request | None = request
        while following is not None:
            _limit_body(following, self._signer.body_bytes_max)
            following.read()
            exchange.sign(following)
            response = yield following
            if is_problem(response.status_code, response.headers.get("Content-Type")):
                response.read()
            following = exchange.next_request(response)

    async def async_auth_flow(
        self, request: httpx.Request
    ) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Sign in a thread, so that other tasks go on; ``httpx.AsyncClient`` calls it."""
        exchange = _Exchange(self._signer)
        following: httpx.Request | None = request
        while following is not None:
            _limit_body(following, self._signer.body_bytes_max)
            await following.aread()
            await anyio.to_thread.run_sync(exchange.sign, following)
            response = yield following
            if is_problem(response.status_code, response.headers.get("Content-Type")):
                await response.aread()
            following = exchange.next_request(response)


def sign_redirect(request: httpx.Request) -> None:
    """Sign a redirect to the same origin before it is sent.

    A request hook of an ``httpx.Client``, for services that do not ask for a signature, as those
    that agents call. A redirect to another origin carries no signature, nor does what follows it.

    Raises:
        SigningError: the redirect cannot be signed; it was not sent.

    """
    exchange = _exchange_of_redirect(request)
    if exchange is not None:
        request.read()
        exchange.sign(request)


async def sign_redirect_async(request: httpx.Request) -> None:
    """Do the same as ``sign_redirect``, as a request hook of an ``httpx.AsyncClient``."""
    exchange = _exchange_of_redirect(request)
    if exchange is not None:
        await request.aread()
        await anyio.to_thread.run_sync(exchange.sign, request)


def _exchange_of_redirect(request: httpx.Request) -> _Exchange | None:
    """Return the call of a redirect that has to be signed; None for any other request."""
    exchange: _Exchange | None = request.extensions.get(_EXCHANGE)
    if exchange is None or "Signature" in request.headers:
        return None
    if exchange.starts_at(request):
        return exchange
    # The redirects of the other origin are its own, even those that lead back.
    others = {name: value for name, value in request.extensions.items() if name != _EXCHANGE}
    request.extensions = others
    return None


class _Exchange:
    """One request of the caller's, with what has to be sent again."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer
        self._clock_corrected = False
        self._second_changed = False
        self._redirects = 0
        self._origin = ""
        self._idempotency_key = new_idempotency_key()

    def sign(self, request: httpx.Request) -> None:
        self._origin = self._origin or _origin(request)
        request.extensions = {**request.extensions, _EXCHANGE: self}
        if self._signer.idempotency_keys:
            self._add_idempotency_key(request)
        unsigned = httpx.Headers(request.headers)
        # The length is that of the bytes which are signed, whatever the caller wrote.
        for name in (*self._signer.signature_headers, "Content-Length", "Transfer-Encoding"):
            unsigned.pop(name, None)
        if request.content or request.method in _METHODS_WITH_LENGTH:
            unsigned["Content-Length"] = str(len(request.content))
        signature = _Signature(self._signer, request)
        request.headers = _SignedHeaders(unsigned, signature)
        request.stream = _SentStream(request.content, signature)

    def starts_at(self, request: httpx.Request) -> bool:
        return _origin(request) == self._origin

    def _add_idempotency_key(self, request: httpx.Request) -> None:
        key = request.headers.get(IDEMPOTENCY_KEY)
        # The program may send one request for several calls.
        is_added = key is not None and key == request.extensions.get(_ADDED_KEY)
        if is_added or needs_key(request.method, key):
            request.extensions = {**request.extensions, _ADDED_KEY: self._idempotency_key}
            request.headers[IDEMPOTENCY_KEY] = self._idempotency_key

    def next_request(self, response: httpx.Response) -> httpx.Request | None:
        refusal = _refusal(response)
        if refusal is None:
            return None
        if self._is_unsigned_redirect(refusal, response):
            self._redirects += 1
            return response.request
        # An unsigned request may have left the origin: no other one gets a signature by its answer.
        if "Signature" in response.request.headers and self._learn(refusal, response):
            return response.request
        if self._signer.raises_refusals and not refusal.is_temporary:
            raise refusal
        return None

    def _learn(self, refusal: RefusedError, response: httpx.Response) -> bool:
        if not self._clock_corrected and self._signer.correct_clock(refusal):
            self._clock_corrected = True
            return True
        method = response.request.method
        if not self._second_changed and self._signer.change_second(method, refusal):
            self._second_changed = True
            return True
        return False

    def _is_unsigned_redirect(self, refusal: RefusedError, response: httpx.Response) -> bool:
        hops = [*(earlier.request for earlier in response.history), response.request]
        return (
            refusal.code == "signature_missing"
            and "Signature" not in response.request.headers
            and all(self.starts_at(hop) for hop in hops)
            and self._redirects < _REDIRECTS_MAX
        )


class _Signature:
    """The signature of one request, made anew for each further attempt to send it."""

    def __init__(self, signer: Signer, request: httpx.Request) -> None:
        self._signer = signer
        self._method = request.method
        self._url = _target_uri(request)
        self._body = request.content
        self._signed: SignedRequest = self._sign()
        self._key = request.headers.get(IDEMPOTENCY_KEY)
        self.is_sent = False

    @property
    def current(self) -> httpx.Headers:
        return httpx.Headers(self._signed.headers)

    def next(self, idempotency_key: str | None) -> httpx.Headers:
        if self.is_sent:
            check_repeat(self._method, idempotency_key, self._key)
            self._signed = self._sign()
            self.is_sent = False
        return self.current

    def _sign(self) -> SignedRequest:
        return self._signer.sign(self._method, self._url, self._body)


class _SignedHeaders(httpx.Headers):
    """Header fields whose signature stays behind when httpx copies them for a redirect.

    A transport takes the fields of each attempt from ``raw``, so one that retries gets a new
    signature, once it has sent the body.
    """

    def __init__(self, headers: httpx.Headers, signature: _Signature) -> None:
        super().__init__(headers, encoding=headers.encoding)
        self._signature = signature

    @property
    def raw(self) -> list[tuple[bytes, bytes]]:
        key = super().get(IDEMPOTENCY_KEY)
        return super().raw + self._signature.next(key).raw

    def keys(self) -> KeysView[str]:
        return self._all.keys()

    def values(self) -> ValuesView[str]:
        return self._all.values()

    def items(self) -> ItemsView[str, str]:
        return self._all.items()

    def multi_items(self) -> list[tuple[str, str]]:
        return self._all.multi_items()

    def get_list(self, key: str, split_commas: bool = False) -> list[str]:
        return self._all.get_list(key, split_commas)

    def __getitem__(self, key: str) -> str:
        return self._all[key]

    def __contains__(self, key: Any) -> bool:
        return key in self._all

    def __len__(self) -> int:
        return len(self._all)

    @property
    def _all(self) -> httpx.Headers:
        headers = httpx.Headers(self)
        headers.update(self._signature.current)
        return headers


class _SentStream(httpx.ByteStream):
    """A body that tells when it is sent: after that, a request may have been carried out."""

    def __init__(self, content: bytes, signature: _Signature) -> None:
        super().__init__(content)
        self._signature = signature

    def __iter__(self) -> Iterator[bytes]:
        self._signature.is_sent = True
        yield from super().__iter__()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        self._signature.is_sent = True
        async for chunk in super().__aiter__():
            yield chunk


class _LimitedStream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that fails when it is larger than what may be kept in memory."""

    def __init__(self, stream: Any, limit: int) -> None:
        self._stream = stream
        self._limit = limit

    def __iter__(self) -> Iterator[bytes]:
        length = 0
        for chunk in self._stream:
            length = self._add(length, chunk)
            yield chunk

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for chunk in self._stream:
            length = self._add(length, chunk)
            yield chunk

    def _add(self, length: int, chunk: bytes) -> int:
        if length + len(chunk) > self._limit:
            raise body_too_large(self._limit)
        return length + len(chunk)


def _limit_body(request: httpx.Request, limit: int) -> None:
    if not isinstance(request.stream, httpx.ByteStream):
        request.stream = _LimitedStream(request.stream, limit)


def _target_uri(request: httpx.Request) -> str:
    """Return the URL as sent: httpx keeps its raw target, and names the authority in ``Host``."""
    target = request.url.raw_path.decode("ascii")
    return target_uri(request.url.scheme, request.headers["Host"], target)


def _origin(request: httpx.Request) -> str:
    return target_uri(request.url.scheme, request.url.netloc.decode("ascii"), "")


def _refusal(response: httpx.Response) -> RefusedError | None:
    content_type = response.headers.get("Content-Type")
    if not is_problem(response.status_code, content_type):
        return None
    if response.request.method == "HEAD":
        return read_head_refusal(response.status_code, response.headers, response)
    return read_refusal(response.status_code, content_type, response.content, response)
