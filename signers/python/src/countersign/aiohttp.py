"""Signing for ``aiohttp``.

>>> session = aiohttp.ClientSession(middlewares=[countersign_middleware(signer)])
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from aiohttp.abc import AbstractStreamWriter

from countersign._urls import target_uri
from countersign.errors import RefusalError, is_problem, read_refusal
from countersign.signer import SIGNATURE_HEADERS, body_too_large, request_invalid

if TYPE_CHECKING:
    from aiohttp import ClientRequest, ClientResponse
    from aiohttp.client_middlewares import ClientHandlerType, ClientMiddlewareType

    from countersign.signer import Signer

# The call that this task is in, and the origin that it started at.
_call: ContextVar[tuple[object, str] | None] = ContextVar("countersign_call", default=None)


def countersign_middleware(signer: Signer) -> ClientMiddlewareType:
    """Return a client middleware that signs the final URL and body of each attempt.

    Make it the last of a session's middlewares. Redirects to the same origin are signed again;
    others are followed without the signature. The body is kept in memory for its digest.

    Its requests raise ``SigningError`` if they cannot be signed, and ``RefusalError`` if the
    service rejects them, unless the signer has ``raises_refusals=False``.
    """

    async def middleware(req: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        if _has_left_origin(req):
            return await handler(req)
        body = await _buffer_body(req, signer.body_bytes_max)
        await _sign(signer, req, body)
        response = await handler(req)
        refusal = await _refusal(response)
        if refusal and signer.correct_clock(refusal):
            response.release()
            await _sign(signer, req, body)
            response = await handler(req)
            refusal = await _refusal(response)
        if refusal and signer.raises_refusals:
            response.release()
            raise refusal
        return response

    return middleware


def _has_left_origin(request: ClientRequest) -> bool:
    """Return True for a redirect to another origin.

    aiohttp calls middlewares for each redirect, in the caller's task, and does not tell them apart
    from new requests. All requests of one call share one timer.
    """
    timer = request._timer  # noqa: SLF001
    origin = str(request.url.origin())
    call = _call.get()
    if call is None or call[0] is not timer:
        call = (timer, origin)
        _call.set(call)
    return call[1] != origin


async def _sign(signer: Signer, request: ClientRequest, body: bytes) -> None:
    # In a thread, so that other tasks go on.
    signed = await asyncio.to_thread(signer.sign, request.method, _target_uri(request), body)
    for name in SIGNATURE_HEADERS:
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


async def _refusal(response: ClientResponse) -> RefusalError | None:
    content_type = response.headers.get("Content-Type")
    if not is_problem(response.status, content_type):
        return None
    return read_refusal(response.status, content_type, await response.read(), response)
