"""Sends requests through each HTTP client, for the tests against a running service.

Reads one JSON object per line and answers with one, in any order::

    {"id": 1, "client": "requests", "method": "POST", "url": "http://127.0.0.1:3000/v1/payments",
     "headers": [["Content-Type", "application/json"]], "body": "<Base64>"}
    {"id": 1, "status": 201, "code": null, "body": "<Base64>"}

``"isStream": true`` sends the body piece by piece, without its length, and ``"timeoutMs"`` is when
the client gives up.

A request that the signer rejects is answered with its code: ``{"id": 1, "error": "request_invalid",
"message": "…"}``. CLIENT_ID and PRIVATE_KEY_FILE say who signs, WORKERS how many requests are in
flight in each HTTP client.
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable
from urllib.parse import urlsplit

import aiohttp
import httpx
import requests

import countersign.httpx
import countersign.requests
from countersign import RefusalError, Signer, SigningError
from countersign.aiohttp import countersign_middleware
from countersign.errors import read_refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Iterator

Order = dict[str, Any]
Answer = tuple[int, bytes]

TIMEOUT_SECONDS = 60
signer = Signer(os.environ["CLIENT_ID"], private_key_file=os.environ["PRIVATE_KEY_FILE"])
workers = int(os.environ.get("WORKERS", "4"))
output_lock = threading.Lock()


def main() -> None:
    """Answer until the input ends."""
    send_sync: dict[str, Callable[[Order], Answer]] = {
        "requests": send_by_requests,
        "httpx": send_by_httpx(),
        "http.client": send_by_http_client,
    }
    send_async: dict[str, httpx_async | aiohttp_session] = {
        "httpx-async": httpx_async(),
        "aiohttp": aiohttp_session(),
    }
    write({"clients": [*send_sync, *send_async], "knows": ["isStream", "timeoutMs"]})

    loop = asyncio.new_event_loop()
    loop_thread = threading.Thread(target=loop.run_forever)
    loop_thread.start()
    limits = {name: asyncio.Semaphore(workers) for name in send_async}
    tasks = []
    with ThreadPoolExecutor(workers) as threads:
        for line in sys.stdin:
            order: Order = json.loads(line)
            name = order["client"]
            if name in send_sync:
                threads.submit(answer, order, send_sync[name])
            else:
                task = answer_async(order, send_async[name].send, limits[name])
                tasks.append(asyncio.run_coroutine_threadsafe(task, loop))
    for task_done in tasks:
        task_done.result()
    for sender in send_async.values():
        asyncio.run_coroutine_threadsafe(sender.close(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    loop_thread.join()


def answer(order: Order, send: Callable[[Order], Answer]) -> None:
    """Send one request and write its answer."""
    try:
        status, body = send(order)
        write(answered(order, status, None, body))
    except Exception as error:  # noqa: BLE001  # every failure is an answer
        write(failed(order, error))


async def answer_async(
    order: Order, send: Callable[[Order], Awaitable[Answer]], limit: asyncio.Semaphore
) -> None:
    """Send one request and write its answer."""
    async with limit:
        try:
            status, body = await send(order)
            write(answered(order, status, None, body))
        except Exception as error:  # noqa: BLE001  # every failure is an answer
            write(failed(order, error))


def answered(order: Order, status: int, code: str | None, body: bytes) -> dict[str, Any]:
    """Return the line for a request that got a response."""
    encoded = base64.b64encode(body).decode("ascii")
    return {"id": order["id"], "status": status, "code": code, "body": encoded}


def failed(order: Order, error: Exception) -> dict[str, Any]:
    """Return the line for a refusal, or for a request that was not sent."""
    if isinstance(error, RefusalError):
        body = json.dumps(error.problem).encode("utf-8")
        return answered(order, error.status, error.code, body)
    code = error.code if isinstance(error, SigningError) else type(error).__name__
    return {"id": order["id"], "error": code, "message": str(error)}


def write(line: dict[str, Any]) -> None:
    """Write one line as a whole."""
    with output_lock:
        print(json.dumps(line), flush=True)


def body_of(order: Order) -> bytes | None:
    """Return a request's body; None for none."""
    return None if order.get("body") is None else base64.b64decode(order["body"])


def content_of(order: Order) -> bytes | Iterator[bytes] | None:
    """Return a request's body as it is, or as a generator."""
    body = body_of(order)
    return pieces(body) if body is not None and order.get("isStream") else body


def pieces(body: bytes) -> Iterator[bytes]:
    """Yield a body in two halves."""
    yield body[: len(body) // 2]
    yield body[len(body) // 2 :]


def content_of_async(order: Order) -> bytes | AsyncIterator[bytes] | None:
    """Return a request's body as it is, or as an asynchronous generator."""
    body = body_of(order)
    return pieces_async(body) if body is not None and order.get("isStream") else body


async def pieces_async(body: bytes) -> AsyncIterator[bytes]:
    """Yield a body in two halves."""
    for piece in pieces(body):
        yield piece


def timeout_seconds(order: Order) -> float:
    """Return when the client gives up."""
    return float(order.get("timeoutMs") or TIMEOUT_SECONDS * 1000) / 1000


local = threading.local()


def send_by_requests(order: Order) -> Answer:
    """Send with a session of this thread: sessions are not safe in several threads."""
    session: requests.Session | None = getattr(local, "session", None)
    if session is None:
        session = local.session = requests.Session()
        session.trust_env = False
        session.auth = countersign.requests.CountersignAuth(signer)
    response = session.request(
        order["method"],
        order["url"],
        data=content_of(order),
        headers=dict(order.get("headers") or []),
        timeout=timeout_seconds(order),
    )
    return response.status_code, response.content


def send_by_httpx() -> Callable[[Order], Answer]:
    """Return what sends with one client for all threads."""
    client = httpx.Client(
        auth=countersign.httpx.CountersignAuth(signer), trust_env=False, timeout=TIMEOUT_SECONDS
    )

    def send(order: Order) -> Answer:
        response = client.request(
            order["method"],
            order["url"],
            content=content_of(order),
            headers=order.get("headers") or [],
            timeout=timeout_seconds(order),
        )
        return response.status_code, response.content

    return send


def send_by_http_client(order: Order) -> Answer:
    """Sign with the plain function, and send with the standard library."""
    signed = signer.sign(order["method"], order["url"], body_of(order))
    url = urlsplit(signed.url)
    target = signed.url[len(f"{url.scheme}://{url.netloc}") :]
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(url.hostname or "", url.port, timeout=timeout_seconds(order))
    try:
        headers = {**dict(order.get("headers") or []), **signed.headers}
        connection.request(signed.method, target, signed.body, headers)
        response = connection.getresponse()
        body = response.read()
        refusal = read_refusal(response.status, response.getheader("Content-Type"), body)
        if refusal:
            raise refusal
        return response.status, body
    finally:
        connection.close()


class httpx_async:  # noqa: N801  # named like the client that it stands for
    """Sends with one client for all tasks."""

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None

    async def send(self, order: Order) -> Answer:
        """Send one request."""
        if self._client is None:
            self._client = httpx.AsyncClient(
                auth=countersign.httpx.CountersignAuth(signer),
                trust_env=False,
                timeout=TIMEOUT_SECONDS,
            )
        response = await self._client.request(
            order["method"],
            order["url"],
            content=content_of_async(order),
            headers=order.get("headers") or [],
            timeout=timeout_seconds(order),
        )
        return response.status_code, response.content

    async def close(self) -> None:
        """Close the client's connections."""
        if self._client is not None:
            await self._client.aclose()


class aiohttp_session:  # noqa: N801  # named like the client that it stands for
    """Sends with one session for all tasks."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def send(self, order: Order) -> Answer:
        """Send one request."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                middlewares=[countersign_middleware(signer)],
                timeout=aiohttp.ClientTimeout(TIMEOUT_SECONDS),
            )
        async with self._session.request(
            order["method"],
            order["url"],
            data=content_of_async(order),
            headers=order.get("headers") or [],
            timeout=aiohttp.ClientTimeout(timeout_seconds(order)),
        ) as response:
            return response.status, await response.read()

    async def close(self) -> None:
        """Close the session's connections."""
        if self._session is not None:
            await self._session.close()


if __name__ == "__main__":
    main()
