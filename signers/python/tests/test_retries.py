"""Retries that an HTTP client or a library on top of it does by itself."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import httpx
import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

import countersign.httpx
import countersign.requests
from countersign import RefusedError, RepeatNotSignedError, Signer, SigningError
from countersign._repeats import Attempts
from countersign.aiohttp import countersign_middleware
from countersign.errors import read_refusal
from tests.test_clients import accepted, signer
from tests.wire import Answer, Sent, Server, problem, serving

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse


KEY = {"Idempotency-Key": "one"}
PROBLEM_TYPE = "application/problem+json"


class Retrying(httpx.HTTPTransport):
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        for _ in range(5):
            response = super().handle_request(request)
            if response.status_code != 503:
                break
            response.close()
        return response


async def retry(req: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
    for _ in range(5):
        response = await handler(req)
        if response.status != 503:
            break
        response.release()
    return response


def busy_twice(server: Server) -> None:
    server.answer = lambda _: Answer(503) if len(server.sent) <= 2 else Answer()


def assert_signed_each_time(sent: list[Sent], count: int) -> None:
    assert accepted(sent) == ["accepted"] * count
    assert len({one.header("Signature") for one in sent}) == count


@pytest.mark.parametrize("through_proxy", [False, True])
def test_requests_with_retries_of_urllib3(through_proxy: bool) -> None:
    with serving() as server, requests.Session() as session:
        busy_twice(server)
        retries = Retry(5, backoff_factor=0, status_forcelist=[503], allowed_methods=None)
        session.mount("http://", HTTPAdapter(max_retries=retries))
        session.auth = countersign.requests.CountersignAuth(signer())
        if through_proxy:
            session.proxies = {"http": server.origin}
        response = session.post(f"{server.origin}/x", data=b"x", headers=KEY)
    assert response.status_code == 200
    assert_signed_each_time(server.sent, 3)


def send_with_retries(client: str, signing: Signer, method: str, url: str, **options: Any) -> int:
    """Send through a client that is set to repeat anything that is lost or answered with 503."""
    if client == "requests":
        retries = Retry(5, backoff_factor=0, status_forcelist=[503], allowed_methods=None)
        with requests.Session() as session:
            session.mount("http://", HTTPAdapter(max_retries=retries))
            session.auth = countersign.requests.CountersignAuth(signing)
            return session.request(method, url, data=b"x", **options).status_code
    if client == "httpx":
        auth = countersign.httpx.CountersignAuth(signing)
        with httpx.Client(auth=auth, transport=Retrying(retries=2)) as sync:
            return sync.request(method, url, content=b"x", **options).status_code

    async def run() -> int:
        middlewares = [retry, countersign_middleware(signing)]
        async with (
            aiohttp.ClientSession(middlewares=middlewares) as session,
            session.request(method, url, data=b"x", **options) as response,
        ):
            return response.status

    return asyncio.run(run())


RETRYING = ["requests", "httpx", "aiohttp"]


@pytest.mark.parametrize("client", RETRYING)
@pytest.mark.parametrize("method", ["POST", "PATCH", "REPORT"])
def test_no_repeat_is_signed_that_the_api_may_have_carried_out(client: str, method: str) -> None:
    with serving(lambda _: Answer(503)) as server:
        with pytest.raises(RepeatNotSignedError, match=f"This {method} was sent once") as raised:
            send_with_retries(client, signer(), method, f"{server.origin}/")
        assert raised.value.code == "repeat_not_signed"
        assert len(server.sent) == 1


def test_requests_repeats_no_payment_whose_answer_was_lost() -> None:
    with serving(lambda _: None) as server:
        with pytest.raises(RepeatNotSignedError):
            send_with_retries("requests", signer(), "POST", f"{server.origin}/")
        assert len(server.sent) == 1
        # Another call is the caller's own decision.
        with pytest.raises(RepeatNotSignedError):
            send_with_retries("requests", signer(), "POST", f"{server.origin}/")
        assert len(server.sent) == 2


@pytest.mark.parametrize("client", RETRYING)
def test_repeats_have_the_idempotency_key_of_their_call(client: str) -> None:
    with serving() as server:
        for _ in range(2):
            server.answer = lambda _: Answer(503) if len(server.sent) % 3 else Answer()
            status = send_with_retries(client, signer(idempotency_keys=True), "POST", server.origin)
            assert status == 200
        send_with_retries(client, signer(idempotency_keys=True), "POST", server.origin, headers=KEY)
        send_with_retries(client, signer(idempotency_keys=True), "PUT", server.origin)
    assert_signed_each_time(server.sent, 12)
    keys = [sent.header("Idempotency-Key") or "" for sent in server.sent]
    assert keys[0] == keys[1] == keys[2] != keys[3] == keys[4] == keys[5]
    assert [len(key) for key in keys] == [36] * 6 + [3] * 3 + [0] * 3


@pytest.mark.parametrize(
    ("code", "count"),
    [("recently_restarted", 3), ("upstream_timeout", 1), ("signature_replayed", 1)],
)
def test_aiohttp_repeats_what_countersign_kept_from_the_api(code: str, count: int) -> None:
    signing = signer(raises_refusals=False)
    with serving() as server:
        server.answer = lambda _: problem(503, code) if len(server.sent) <= 2 else Answer()
        if count == 3:
            assert send_with_retries("aiohttp", signing, "POST", server.origin) == 200
        else:
            with pytest.raises(RepeatNotSignedError):
                send_with_retries("aiohttp", signing, "POST", server.origin)
    assert_signed_each_time(server.sent, count)


@pytest.mark.parametrize("keys", [["one", "two"], ["", "two"], ["one", ""], ["one", "two", "one"]])
@pytest.mark.parametrize("client", ["httpx", "aiohttp"])
def test_another_key_allows_no_repeat(client: str, keys: list[str]) -> None:
    left = iter(keys)

    class Rekeying(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            response = httpx.Response(500)
            for key in left:
                request.headers["Idempotency-Key"] = key
                response = super().handle_request(request)
                response.close()
            return response

    async def rekey(req: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        for key in left:
            req.headers["Idempotency-Key"] = key
            response = await handler(req)
            response.release()
        return response

    async def run() -> None:
        middlewares = [rekey, countersign_middleware(signer())]
        async with aiohttp.ClientSession(middlewares=middlewares) as session:
            await session.post(server.origin, data=b"x", headers={"Idempotency-Key": keys[0]})

    def send() -> None:
        if client == "aiohttp":
            return asyncio.run(run())
        auth = countersign.httpx.CountersignAuth(signer())
        with httpx.Client(auth=auth, transport=Rekeying()) as sync:
            sync.post(server.origin, content=b"x", headers={"Idempotency-Key": keys[0]})
        return None

    with serving(lambda _: Answer(503)) as server:
        with pytest.raises(RepeatNotSignedError):
            send()
        assert len(server.sent) == 1


@pytest.mark.parametrize("answers", [[307], [302], [303], ["lost with a key", "refused", "key"]])
def test_only_a_refusal_of_the_payment_itself_clears_its_outcome(answers: list[Any]) -> None:
    attempts = Attempts()
    refusal = read_refusal(401, PROBLEM_TYPE, problem(401, "rate_limited").body)
    url = "https://a.test/pay"
    attempts.begin("POST", url, "one")
    if answers[0] in (302, 303):
        attempts.begin("GET", url, None)
        attempts.answered("GET", url, refusal)
    elif answers[0] == 307:
        attempts.answered("POST", url, None)
    else:
        attempts.begin("POST", url, "one")
        attempts.answered("POST", url, refusal)
    with pytest.raises(RepeatNotSignedError):
        attempts.begin("POST", url, "two")
    with pytest.raises(RepeatNotSignedError):
        attempts.begin("POST", url, None)


def test_aiohttp_signs_no_payment_again_after_a_redirect() -> None:
    async def run() -> None:
        async def again(req: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
            response = await handler(req)
            if response.status == 307:
                response.release()
                response = await handler(req)
            return response

        middlewares = [again, countersign_middleware(signer())]
        async with aiohttp.ClientSession(middlewares=middlewares) as session:
            await session.post(server.origin, data=b"x")

    with serving(lambda _: Answer(307, {"Location": "/next"})) as server:
        with pytest.raises(RepeatNotSignedError):
            asyncio.run(run())
        assert len(server.sent) == 1


def test_a_request_that_is_sent_for_two_calls_has_two_idempotency_keys() -> None:
    signing = signer(idempotency_keys=True)
    with serving() as server:
        with requests.Session() as session:
            request = requests.Request("POST", server.origin, data=b"x")
            request.auth = countersign.requests.CountersignAuth(signing)
            prepared = session.prepare_request(request)
            session.send(prepared)
            session.send(prepared)
        auth = countersign.httpx.CountersignAuth(signing)
        with httpx.Client(auth=auth) as client:
            built = client.build_request("POST", server.origin, content=b"x")
            client.send(built)
            client.send(built)
    assert_signed_each_time(server.sent, 4)
    assert len({sent.header("Idempotency-Key") for sent in server.sent}) == 4


def test_httpx_repeats_what_was_not_sent() -> None:
    class Unreachable(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            assert request.headers.raw  # All that is done before a connection.
            return super().handle_request(request)

    with serving() as server:
        auth = countersign.httpx.CountersignAuth(signer())
        with httpx.Client(auth=auth, transport=Unreachable()) as client:
            assert client.post(server.origin, content=b"x").status_code == 200
    assert_signed_each_time(server.sent, 1)


def test_a_replay_says_that_the_first_request_may_have_been_accepted() -> None:
    with serving(lambda _: problem(401, "signature_replayed")) as server:
        auth = countersign.requests.CountersignAuth(signer())
        with pytest.raises(RefusedError, match="may have been accepted: look it up"):
            requests.post(server.origin, data=b"x", auth=auth)


def test_requests_with_retries_after_a_redirect() -> None:
    def answer(sent: Sent) -> Answer:
        if sent.target == "/":
            return Answer(307, {"Location": "/next"})
        return Answer(503) if len(server.sent) <= 3 else Answer()

    with serving(answer) as server, requests.Session() as session:
        retries = Retry(5, backoff_factor=0, status_forcelist=[503], allowed_methods=None)
        session.mount("http://", HTTPAdapter(max_retries=retries))
        session.auth = countersign.requests.CountersignAuth(signer())
        response = session.post(f"{server.origin}/", data=b"x", headers=KEY)
        assert response.status_code == 200
    assert_signed_each_time(server.sent, 4)


def test_requests_with_a_prepared_request_that_is_sent_twice() -> None:
    with serving() as server, requests.Session() as session:
        request = requests.Request("POST", f"{server.origin}/", data=b"x")
        request.auth = countersign.requests.CountersignAuth(signer())
        prepared = session.prepare_request(request)
        session.send(prepared)
        session.send(prepared)
    assert_signed_each_time(server.sent, 2)


def test_requests_with_a_file(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(b"skipped" + bytes(range(256)) * 1000)
    with serving() as server, path.open("rb") as file:
        file.seek(7)
        auth = countersign.requests.CountersignAuth(signer())
        requests.post(f"{server.origin}/", data=file, auth=auth)
        with path.open("rb") as part:
            requests.post(f"{server.origin}/", files={"file": part}, auth=auth)
    assert accepted(server.sent) == ["accepted", "accepted"]
    assert server.sent[0].body == bytes(range(256)) * 1000


def test_httpx_with_a_transport_that_retries() -> None:
    with serving() as server:
        busy_twice(server)
        auth = countersign.httpx.CountersignAuth(signer())
        with httpx.Client(auth=auth, transport=Retrying()) as client:
            response = client.post(f"{server.origin}/", content=b"x", headers=KEY)
            assert response.status_code == 200
    assert_signed_each_time(server.sent, 3)


def test_httpx_shows_the_signature_in_the_request() -> None:
    with serving() as server:
        auth = countersign.httpx.CountersignAuth(signer())
        headers = httpx.get(server.origin, auth=auth, headers={"X-One": "1"}).request.headers
    assert headers["signature"] == server.sent[0].header("Signature")
    assert headers["X-One"] == "1"
    assert "Signature-Input" in headers
    assert "signature" in dict(headers)
    assert len(headers) == len(headers.multi_items()) == len(list(headers.values()))
    assert headers.get_list("Date") == [server.sent[0].header("Date")]
    assert headers.get("Content-Digest") is None


def test_httpx_keeps_headers_that_a_hook_adds_after_signing() -> None:
    def hook(request: httpx.Request) -> None:
        request.headers["X-Trace"] = "1"

    with serving() as server:
        auth = countersign.httpx.CountersignAuth(signer())
        with httpx.Client(auth=auth, event_hooks={"request": [hook]}) as client:
            client.get(server.origin)
    assert server.sent[0].header("X-Trace") == "1"
    assert accepted(server.sent) == ["accepted"]


def test_aiohttp_with_a_middleware_that_retries() -> None:
    async def run() -> int:
        middlewares = [retry, countersign_middleware(signer())]
        async with (
            aiohttp.ClientSession(middlewares=middlewares) as session,
            session.post(f"{server.origin}/", data=b"x", headers=KEY) as response,
        ):
            return response.status

    with serving() as server:
        busy_twice(server)
        assert asyncio.run(run()) == 200
    assert_signed_each_time(server.sent, 3)


def test_aiohttp_on_a_connection_that_was_closed() -> None:
    async def run() -> None:
        middlewares = [countersign_middleware(signer())]
        async with aiohttp.ClientSession(middlewares=middlewares) as session:
            for _ in range(2):
                async with session.put(f"{server.origin}/", data=b"x") as response:
                    await response.read()

    with serving() as server:
        # The second request finds the kept connection closed, and aiohttp sends it again.
        server.answer = lambda _: None if len(server.sent) == 2 else Answer()
        asyncio.run(run())
    assert_signed_each_time(server.sent, 3)


def test_aiohttp_tells_a_new_request_from_a_redirect() -> None:
    async def run() -> None:
        middlewares = [countersign_middleware(signer())]
        async with aiohttp.ClientSession(middlewares=middlewares) as session:
            async with session.get(server.origin, allow_redirects=False) as response:
                location = response.headers["Location"]
            async with session.get(location) as response:
                assert response.status == 200

    with serving() as other:
        redirect = Answer(307, {"Location": f"{other.origin}/x"})
        with serving(lambda _: redirect) as server:
            asyncio.run(run())
    assert accepted(server.sent + other.sent) == ["accepted", "accepted"]


def test_aiohttp_bodies(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(bytes(range(256)) * 1000)

    async def run() -> None:
        middlewares = [countersign_middleware(signer())]
        async with aiohttp.ClientSession(middlewares=middlewares) as session:
            form = aiohttp.FormData({"a": "b c"})
            parts = aiohttp.FormData()
            parts.add_field("file", b"content", filename="f")
            with path.open("rb") as file:
                for body in ("é", form, parts, file):
                    async with session.post(server.origin, data=body) as response:
                        assert response.status == 200
            with pytest.raises(SigningError, match="compress"):
                await session.post(server.origin, data=b"x" * 100, compress=True)

    with serving() as server:
        asyncio.run(run())
    assert accepted(server.sent) == ["accepted"] * 4
    types = [(sent.header("Content-Type") or "").split(";")[0] for sent in server.sent]
    assert types[:3] == ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
    assert server.sent[3].body == path.read_bytes()
