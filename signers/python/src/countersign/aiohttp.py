"""Signing for ``aiohttp``.

>>> session = aiohttp.ClientSession(middlewares=[countersign_middleware(signer)])
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from aiohttp import ClientConnectorError
from aiohttp.abc import AbstractStreamWriter

from countersign._repeats import IDEMPOTENCY_KEY, Attempts, needs_key
from countersign._urls import target_uri
from countersign.errors import (
    RefusedError,
    SigningError,
    is_problem,
    read_head_refusal,
    read_refusal,
)
from countersign.signer import body_too_large, request_invalid

if TYPE_CHECKING:
    from aiohttp import ClientRequest, ClientResponse
    from aiohttp.client_middlewares import ClientHandlerType, ClientMiddlewareType

    from countersign.signer import Signer


class _Call:
    """One call of a session: where it started, and its attempts."""

    def __init__(self, timer: object, origin: str) -> None:
        self.timer = timer
        self.origin = origin
        self.attempts = Attempts()


# The call that this task is in.
_call: ContextVar[_Call | None] = ContextVar("countersign_call", default=None)


def countersign_middleware(signer: Signer) -> ClientMiddlewareType:
    """Return a client middleware that signs the final URL and body of each attempt.

    Make it the last of a session's middlewares. Redirects to the same origin are signed again;
    others are followed without the signature. The body is kept in memory for its digest.

    A middleware around it that repeats a POST, a PATCH or another request that is not idempotent
    gets ``RepeatNotSignedError``, unless the request has an ``Idempotency-Key``.

    Its requests raise ``SigningError`` if they cannot be signed, and ``RefusedError`` if the
    service rejects them, unless the signer has ``raises_refusals=False``.
    """

    async def middleware(req: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        call = _call_of(req)
        if call.origin != str(req.url.origin()):
            return await handler(req)
        attempts = call.attempts
        if signer.idempotency_keys and needs_key(req.method, req.headers.get(IDEMPOTENCY_KEY)):
            req.headers[IDEMPOTENCY_KEY] = attempts.idempotency_key
        body = await _buffer_body(req, signer.body_bytes_max)
        response, refusal = await _attempt(signer, req, body, handler, attempts)
        if refusal and signer.correct_clock(refusal):
            response.release()
            response, refusal = await _attempt(signer, req, body, handler, attempts)
        if refusal and signer.change_second(req.method, refusal):
            response.release()
            response, refusal = await _attempt(signer, req, body, handler, attempts)
        if refusal and signer.raises_refusals and not refusal.is_temporary:
            response.release()
            raise refusal
        return response

    return middleware


async def _attempt(
    signer: Signer,
    request: ClientRequest,
    body: bytes,
    handler: ClientHandlerType,
    attempts: Attempts,
) -> tuple[ClientResponse, RefusedError | None]:
    method, url = request.method.upper(), _target_uri(request)
    attempts.begin(method, url, request.headers.get(IDEMPOTENCY_KEY))
    try:
        await _sign(signer, request, body)
    except SigningError:
        attempts.not_sent(method, url)
        raise
    try:
        response = await handler(request)
    except ClientConnectorError:
        attempts.not_sent(method, url)
        raise
    refusal = await _refusal(response)
    attempts.answered(method, url, refusal)
    return response, refusal


def _call_of(request: ClientRequest) -> _Call:
    """Return the call that a request belongs to.

    aiohttp calls middlewares for each redirect, in the caller's task, and does not tell them apart
    from new requests. All requests of one call share one timer.
    """
    timer = request._timer  # noqa: SLF001
    call = _call.get()
    if call is None or call.timer is not timer:
        call = _Call(timer, str(request.url.origin()))
        _call.set(call)
    return call


async def _sign(signer: Signer, request: ClientRequest, body: bytes) -> None:
    # In a thread, so that other tasks go on.
    signed = await asyncio.to_thread(signer.sign, request.method, _target_uri(request), body)
    for name in signer.signature_headers:
        request.headers.popall(name, None)
    request.headers.update(signed.headers)


async def _buffer_body(request: ClientRequest, limit: int) -> bytes:
    payload: Any = request.body
    if not payload:
        return b""
    if request.compress:
        raise request_invalid(
            "aiohttp would compress the body after signing. Compress it yourself, and set "
            "Content-Encoding"
        )
    if payload.size is not None and payload.size > limit:
        raise body_too_large(limit)
    writer = _BodyWriter(limit)
    await payload.write(writer)
    body = bytes(writer.body)
    # A body of known length needs no chunks.
    request.chunked = None
    request.headers.popall("Transfer-Encoding", None)
    await request.update_body(body)
    return body


class _BodyWriter(AbstractStreamWriter):
    """Keeps in memory what a payload writes."""

    def __init__(self, limit: int) -> None:
        self.body = bytearray()
        self._limit = limit

    async def write(self, chunk: bytes | bytearray | memoryview) -> None:
        self.body += chunk
        if len(self.body) > self._limit:
            raise body_too_large(self._limit)

    async def write_eof(self, chunk: bytes = b"") -> None:
        await self.write(chunk)

    async def drain(self) -> None:
        pass

    def enable_compression(self, encoding: str = "deflate", strategy: int | None = None) -> None:  # noqa: ARG002
        raise request_invalid(f"a part of its body would be compressed with {encoding}")

    def enable_chunking(self) -> None:
        pass

    async def write_headers(self, status_line: str, headers: Any) -> None:
        pass


def _target_uri(request: ClientRequest) -> str:
    url = request.url
    return target_uri(url.scheme, request.headers["Host"], url.raw_path_qs)


async def _refusal(response: ClientResponse) -> RefusedError | None:
    content_type = response.headers.get("Content-Type")
    if not is_problem(response.status, content_type):
        return None
    if response.method == "HEAD":
        return read_head_refusal(response.status, response.headers, response)
    return read_refusal(response.status, content_type, await response.read(), response)
