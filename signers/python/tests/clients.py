"""The HTTP clients behind one function, so that each test runs with all of them."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import aiohttp
import httpx
import requests
from yarl import URL

import countersign.httpx
import countersign.requests
from countersign.aiohttp import countersign_middleware

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from countersign import Signer

# The servers here speak plain HTTP; reading the certificates for each client would take longer than
# the tests.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

CLIENTS = ["requests", "httpx", "httpx-async", "aiohttp"]


@dataclass
class Got:
    status: int
    body: bytes


def send(
    client: str,
    signer: Signer,
    method: str,
    url: str,
    *,
    body: Any = None,
    json: Any = None,
    params: dict[str, str] | None = None,
    headers: dict[str, str] | None = None,
    follow: bool = False,
    hook: bool = False,
) -> Got:
    """Send one request through a client as its users would. ``body`` may be a list: a stream.

    With ``hook``, httpx signs redirects before it sends them, as the other clients always do.
    """
    options: dict[str, Any] = {"params": params, "json": json, "headers": headers}
    if client == "requests":
        with requests.Session() as session:
            session.auth = countersign.requests.CountersignAuth(signer)
            body = _stream(body) if isinstance(body, list) else body
            got = session.request(method, url, data=body, allow_redirects=follow, **options)
            return Got(got.status_code, got.content)
    if client == "httpx":
        auth = countersign.httpx.CountersignAuth(signer)
        hooks = {"request": [countersign.httpx.sign_redirect] if hook else []}
        with httpx.Client(
            auth=auth, event_hooks=hooks, follow_redirects=follow, verify=_NO_TLS
        ) as sync:
            body = _stream(body) if isinstance(body, list) else body
            response = sync.request(method, url, content=body, **options)
            return Got(response.status_code, response.content)
    if client == "httpx-async":
        return asyncio.run(_httpx_async(signer, method, url, body, follow, hook, options))
    return asyncio.run(_aiohttp(signer, method, url, body, follow, options))


async def _httpx_async(
    signer: Signer,
    method: str,
    url: str,
    body: Any,
    follow: bool,
    hook: bool,
    options: dict[str, Any],
) -> Got:
    auth = countersign.httpx.CountersignAuth(signer)
    hooks = {"request": [countersign.httpx.sign_redirect_async] if hook else []}
    async with httpx.AsyncClient(
        auth=auth, event_hooks=hooks, follow_redirects=follow, verify=_NO_TLS
    ) as client:
        body = _async_stream(body) if isinstance(body, list) else body
        response = await client.request(method, url, content=body, **options)
        return Got(response.status_code, response.content)


async def _aiohttp(
    signer: Signer, method: str, url: str, body: Any, follow: bool, options: dict[str, Any]
) -> Got:
    async with aiohttp.ClientSession(middlewares=[countersign_middleware(signer)]) as session:
        body = _async_stream(body) if isinstance(body, list) else body
        async with session.request(
            method, URL(url), data=body, allow_redirects=follow, **options
        ) as response:
            return Got(response.status, await response.read())


def _stream(chunks: list[bytes]) -> Iterator[bytes]:
    yield from chunks


async def _async_stream(chunks: list[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
