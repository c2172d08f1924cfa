from __future__ import annotations

import contextlib
import random
import string
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from email.utils import formatdate
from typing import Any

import pytest

from countersign import RefusedError, Signer, SigningError, Verifier
from tests import vectors
from tests.clients import CLIENTS, send
from tests.wire import Answer, Sent, problem, serving

every_client = pytest.mark.parametrize("client", CLIENTS)


def signer(**options: Any) -> Signer:
    return Signer("shop", private_key=vectors.private_key(), **options)


def accepted(requests: list[Sent], **options: Any) -> list[str]:
    """Return each request's verdict of one verifier: a code, or "accepted"."""
    verifier = Verifier("shop", vectors.PUBLIC_KEY, **options)
    return [
        verifier.verify(sent.method, sent.url, sent.headers, sent.body).code or "accepted"
        for sent in requests
    ]


@every_client
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("body", [None, b"", b'{"amount": 1250}', bytes(range(256)) * 256])
def test_what_arrives_is_what_was_signed(client: str, method: str, body: bytes | None) -> None:
    with serving() as server:
        assert send(client, signer(), method, f"{server.origin}/v1/x?a=1", body=body).status == 200
    assert accepted(server.sent) == ["accepted"]
    assert server.sent[0].body == (body or b"")


@every_client
def test_json_and_params_are_covered(client: str) -> None:
    with serving() as server:
        url = f"{server.origin}/v1/x?a=1"
        send(client, signer(), "post", url, json={"reference": "é"})
        send(client, signer(), "get", f"{server.origin}/v1/x", params={"q": "a b/é", "empty": ""})
    assert accepted(server.sent) == ["accepted", "accepted"]
    assert server.sent[0].header("Content-Type") == "application/json"
    assert server.sent[1].target.startswith("/v1/x?q=a")


ODD_TARGETS = [
    "/a/%7e~%c3%a9?x=%7e&b=[1]&c=é d",
    "/?",
    "/a b",
    "//x//y",
    "/a/../b",
    "/%2e%2e/x",
    "?q=1",
    "",
    "/x?",
    "/x?a=&b&=&a=+%20%2b",
    "/a'(!)*$;,:@&=",
    "/[x]",
    "/x#fragment",
    "/%zz",
    '/x?a=%5b%5B|^`{}"<>',
    "/x?a=b?c/d",
    "/é/%e9",
    "/a//b/.",
    "/a;b=c?d;e",
    "/%25%2F%3f%23",
]


@every_client
@pytest.mark.parametrize("target", ODD_TARGETS)
def test_odd_urls_are_signed_as_they_are_sent(client: str, target: str) -> None:
    with serving() as server:
        assert send(client, signer(), "GET", server.origin + target).status == 200
    assert accepted(server.sent) == ["accepted"]


# What the table in the README says.
SENT_TARGETS = [
    ("/%7e%41", "/~A", "/%7e%41", "/~A"),
    ("/%c3%a9", "/%C3%A9", "/%c3%a9", "/%C3%A9"),
    ("/é b", "/%C3%A9%20b", "/%C3%A9%20b", "/%C3%A9%20b"),
    ("/[x]", "/%5Bx%5D", "/[x]", "/%5Bx%5D"),
    ("/a/../b", "/b", "/b", "/b"),
    ("/x?", "/x", "/x?", "/x"),
    ("/x#fragment", "/x", "/x", "/x"),
]


@pytest.mark.parametrize("case", SENT_TARGETS, ids=lambda case: case[0])
def test_what_clients_do_to_urls(case: tuple[str, ...]) -> None:
    target, *expected = case
    with serving() as server:
        for client in ("requests", "httpx", "aiohttp"):
            send(client, signer(), "GET", server.origin + target)
    assert [sent.target for sent in server.sent] == expected


@every_client
def test_random_urls_are_signed_as_they_are_sent(client: str) -> None:
    one = signer()
    with serving() as server:
        for seed in range(60):
            send(client, one, "GET", server.origin + _random_target(random.Random(seed)))
    assert accepted(server.sent) == ["accepted"] * 60


def _random_target(source: random.Random) -> str:
    parts = [
        *string.ascii_letters,
        *"/~-._!$&'()*+,;=:@ é[]%",
        "%7e",
        "%7E",
        "%2f",
        "%C3%a9",
        "%20",
    ]
    path = "/" + "".join(source.choices(parts, k=source.randrange(12)))
    query = "".join(source.choices([*parts, "?", "&", "="], k=source.randrange(12)))
    return source.choice([path, f"{path}?", f"{path}?{query}", f"{path}?{query}"])


@every_client
@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1"])
def test_the_host_is_signed_as_it_is_sent(client: str, host: str) -> None:
    with serving() as server:
        send(client, signer(), "GET", f"http://{host}:{server.port}/")
    assert accepted(server.sent) == ["accepted"]


@every_client
def test_a_host_header_of_the_callers_is_signed(client: str) -> None:
    with serving() as server:
        headers = {"Host": "API.example.test:80"}
        send(client, signer(), "GET", f"{server.origin}/x", headers=headers)
    sent = server.sent[0]
    signed = ("GET", "http://api.example.test/x", sent.headers)
    assert Verifier("shop", vectors.PUBLIC_KEY).verify(*signed).ok


@every_client
def test_a_user_in_the_url_is_not_signed(client: str) -> None:
    with serving() as server:
        url = f"http://user:secret@127.0.0.1:{server.port}/"
        if client == "requests":
            with pytest.raises(SigningError, match="user name") as error:
                send(client, signer(), "GET", url)
            assert "secret" not in str(error.value)
        else:
            send(client, signer(), "GET", url)
    assert accepted(server.sent) == ["accepted"] * len(server.sent)


@every_client
def test_streams_are_buffered(client: str) -> None:
    with serving() as server:
        send(client, signer(), "POST", f"{server.origin}/", body=[b"one", b"", b"two"])
        send(client, signer(), "POST", f"{server.origin}/", body=[])
    assert accepted(server.sent) == ["accepted", "accepted"]
    assert [sent.body for sent in server.sent] == [b"onetwo", b""]


@every_client
@pytest.mark.parametrize("body", [b"12345", [b"123", b"45"], [b"12345"]])
def test_a_body_above_the_limit_is_not_sent(client: str, body: Any) -> None:
    with serving() as server:
        with pytest.raises(SigningError) as error:
            send(client, signer(body_bytes_max=4), "POST", f"{server.origin}/", body=body)
        assert error.value.code == "body_too_large"
        send(client, signer(body_bytes_max=5), "POST", f"{server.origin}/", body=body)
    assert accepted(server.sent) == ["accepted"]


@every_client
def test_fields_of_the_callers_are_replaced(client: str) -> None:
    stale = dict.fromkeys(signer().signature_headers, "stale")
    stale["date"] = stale.pop("Date")
    with serving() as server:
        send(client, signer(), "POST", f"{server.origin}/", body=b"x", headers=stale)
        send(client, signer(), "GET", f"{server.origin}/", headers=stale)
    assert accepted(server.sent) == ["accepted", "accepted"]
    assert server.sent[1].header("Content-Digest") is None


@every_client
@pytest.mark.parametrize("is_strict", [False, True])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_equal_reads_are_accepted_everywhere(client: str, method: str, is_strict: bool) -> None:
    one = signer()
    service = Verifier("shop", vectors.PUBLIC_KEY)
    used: set[str | None] = set()

    def answer(sent: Sent) -> Answer:
        if is_strict and sent.header("Signature") in used:
            return problem(401, "signature_replayed")
        used.add(sent.header("Signature"))
        result = service.verify(sent.method, sent.url, sent.headers, sent.body)
        return Answer() if result.ok else problem(401, result.code or "")

    with serving(answer) as server:
        for _ in range(8):
            assert send(client, one, method, f"{server.origin}/equal").status == 200


@every_client
def test_equal_requests_at_once_have_different_signatures(client: str) -> None:
    one = signer()
    with serving() as server, ThreadPoolExecutor(8) as threads:
        url = f"{server.origin}/v1/x"
        list(threads.map(lambda _: send(client, one, "POST", url, body=b"same"), range(20)))
    assert accepted(server.sent) == ["accepted"] * 20
    assert len({sent.header("Signature") for sent in server.sent}) == 20


# Redirects


@every_client
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", ["/next?a=%c3%a9&b=[1]", "{origin}/next", "next/../x"])
def test_a_redirect_to_the_same_origin_is_signed_again(
    client: str, status: int, location: str
) -> None:
    def answer(sent: Sent) -> Answer:
        if sent.target == "/first":
            return Answer(status, {"Location": location.format(origin=server.origin)})
        return Answer() if sent.header("Signature") else problem(401, "signature_missing")

    with serving(answer) as server:
        got = send(client, signer(), "POST", f"{server.origin}/first", body=b"x", follow=True)
    assert (got.status, got.body) == (200, b"ok")
    signed = [sent for sent in server.sent if sent.header("Signature")]
    assert accepted(signed) == ["accepted", "accepted"]
    assert len({sent.header("Signature") for sent in server.sent}) == len(server.sent)
    assert signed[1].body == (b"x" if status in (307, 308) else b"")


@every_client
def test_several_redirects_are_signed(client: str) -> None:
    def answer(sent: Sent) -> Answer:
        if not sent.header("Signature"):
            return problem(401, "signature_missing")
        number = int(sent.target[1:])
        return Answer(307, {"Location": f"/{number + 1}"}) if number < 4 else Answer()

    with serving(answer) as server:
        got = send(client, signer(), "POST", f"{server.origin}/0", body=b"x", follow=True)
    assert got.status == 200
    signed = [sent for sent in server.sent if sent.header("Signature")]
    assert accepted(signed) == ["accepted"] * 5


@every_client
@pytest.mark.parametrize("status", [302, 307])
def test_no_signature_reaches_another_origin(client: str, status: int) -> None:
    def first(_: Sent) -> Answer:
        return Answer(status, {"Location": f"{other.origin}/elsewhere"})

    def elsewhere(sent: Sent) -> Answer:
        # Asks for a signature, then leads back to where it came from.
        if sent.target == "/elsewhere":
            return Answer(307, {"Location": f"{other.origin}/again"})
        return problem(401, "signature_missing")

    answered = contextlib.suppress(RefusedError)
    with serving(elsewhere) as other, serving(first) as server, answered:
        send(client, signer(), "POST", f"{server.origin}/", body=b"x", follow=True)
    assert accepted(server.sent) == ["accepted"]
    assert [sent.target for sent in other.sent] == ["/elsewhere", "/again"]
    for sent in other.sent:
        # httpx and aiohttp set no Date of their own.
        assert [name for name in signer().signature_headers if sent.header(name)] == []


@every_client
@pytest.mark.parametrize("code", ["created_expired", "signature_replayed"])
def test_no_rejection_by_another_origin_gets_a_signature(client: str, code: str) -> None:
    one = signer()
    refusal = problem(401, code, serverTime=service_time(7200))
    answered = contextlib.suppress(RefusedError)
    with serving(lambda _: refusal) as other, serving() as server:
        server.answer = lambda _: Answer(307, {"Location": f"{other.origin}/elsewhere"})
        with answered:
            send(client, one, "GET", f"{server.origin}/", follow=True)
        send(client, one, "GET", f"{server.origin}/2")
    assert accepted(server.sent) == ["accepted", "accepted"]
    (sent,) = other.sent
    assert [name for name in signer().signature_headers if sent.header(name)] == []


@every_client
def test_a_redirect_that_is_not_followed_is_an_answer(client: str) -> None:
    with serving(lambda _: Answer(307, {"Location": "/next"})) as server:
        assert send(client, signer(), "GET", f"{server.origin}/").status == 307
    assert len(server.sent) == 1


# Clock and refusals


def service_time(offset: float) -> str:
    time_there = datetime.fromtimestamp(time.time() + offset, timezone.utc)
    return time_there.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def slow_clock_service(offset: float, code: str) -> Any:
    def answer(sent: Sent) -> Answer:
        created = int((sent.header("Signature-Input") or "").split(";created=")[1].split(";")[0])
        if abs(created - time.time() - offset) < 50:
            return Answer()
        return problem(401, code, serverTime=service_time(offset))

    return answer


@every_client
@pytest.mark.parametrize("code", ["created_expired", "created_in_future", "date_mismatch"])
@pytest.mark.parametrize("offset", [-7200, 80_000])
def test_the_clock_is_corrected_once(client: str, code: str, offset: int) -> None:
    one = signer()
    with serving(slow_clock_service(offset, code)) as server:
        assert send(client, one, "POST", f"{server.origin}/", body=b"x").status == 200
        assert send(client, one, "POST", f"{server.origin}/", body=b"x").status == 200
    assert len(server.sent) == 3
    assert accepted(server.sent[1:], now=lambda: time.time() + offset) == ["accepted"] * 2


@every_client
def test_the_clock_is_corrected_by_the_headers_of_a_head(client: str) -> None:
    there = time.time() + 7200
    refusal = problem(401, "created_expired")
    refusal.headers["Date"] = formatdate(there, usegmt=True)
    with serving() as server:
        server.answer = lambda _: refusal if len(server.sent) == 1 else Answer()
        assert send(client, signer(), "HEAD", f"{server.origin}/").status == 200
        assert len(server.sent) == 2
        assert accepted(server.sent[1:], now=lambda: there) == ["accepted"]


@every_client
@pytest.mark.parametrize("answer", [{}, {"WWW-Authenticate": 'Signature error="order_shipped"'}])
def test_a_head_of_the_api_is_passed_through(client: str, answer: dict[str, str]) -> None:
    headers = {"Content-Type": "application/problem+json", **answer}
    with serving(lambda _: Answer(401, headers, b"")) as server:
        assert send(client, signer(), "HEAD", f"{server.origin}/").status == 401
    assert len(server.sent) == 1


@every_client
def test_no_problem_of_the_api_changes_the_clock(client: str) -> None:
    one = signer()
    own = "https://shop.example/problems#created_expired"
    refusal = problem(401, "created_expired", type=own, serverTime=service_time(7200))
    with serving(lambda _: refusal) as server:
        assert send(client, one, "POST", f"{server.origin}/", body=b"x").status == 401
        assert len(server.sent) == 1
        server.answer = lambda _: Answer()
        send(client, one, "POST", f"{server.origin}/2", body=b"x")
    assert accepted(server.sent) == ["accepted", "accepted"]


@every_client
def test_the_clock_is_not_corrected_forever(client: str) -> None:
    refusal = problem(401, "created_expired", serverTime=service_time(7200))
    with serving(lambda _: refusal) as server, pytest.raises(RefusedError):
        send(client, signer(), "GET", f"{server.origin}/")
    assert len(server.sent) == 2


@every_client
@pytest.mark.parametrize(
    ("code", "server_time"),
    [
        ("created_expired", lambda: service_time(86_460)),
        ("created_expired", lambda: service_time(-86_460)),
        ("created_expired", lambda: "yesterday"),
        ("created_expired", lambda: None),
        ("date_invalid", lambda: service_time(100)),
    ],
    ids=["ahead", "behind", "no time", "missing", "another code"],
)
def test_no_other_clock_is_taken_over(client: str, code: str, server_time: Any) -> None:
    one = signer()
    with serving(lambda _: problem(401, code, serverTime=server_time())) as server:
        with pytest.raises(RefusedError):
            send(client, one, "GET", f"{server.origin}/")
        server.answer = lambda _: Answer()
        send(client, one, "GET", f"{server.origin}/2")
    assert accepted(server.sent) == ["accepted", "accepted"]


@every_client
def test_a_refusal_is_an_error_with_all_that_is_known(client: str) -> None:
    refusal = problem(
        403,
        "network_not_allowed",
        title="The address is not allowed",
        detail="Add it.",
        reason="127.0.0.1 is not on the whitelist",
        requestId="request_1",
        serverTime="2026-11-21T00:01:58.000Z",
    )
    with serving(lambda _: refusal) as server, pytest.raises(RefusedError) as caught:
        send(client, signer(), "GET", f"{server.origin}/")
    error = caught.value
    assert (error.status, error.code, error.request_id) == (403, "network_not_allowed", "request_1")
    assert (error.title, error.detail) == ("The address is not allowed", "Add it.")
    assert error.reason == "127.0.0.1 is not on the whitelist"
    assert error.server_time == datetime(2026, 11, 21, 0, 1, 58, tzinfo=timezone.utc)
    assert error.type == "https://a.test/docs/errors#network_not_allowed"
    assert error.response is not None
    assert str(error) == (
        "network_not_allowed: The address is not allowed. 127.0.0.1 is not on the whitelist. "
        "Add it. (request_1)"
    )


@every_client
def test_refusals_as_responses(client: str) -> None:
    with serving(lambda _: problem(401, "signature_invalid")) as server:
        got = send(client, signer(raises_refusals=False), "GET", f"{server.origin}/")
    assert got.status == 401
    assert b"signature_invalid" in got.body


SIGNATURE_INVALID = problem(401, "signature_invalid").body


@every_client
@pytest.mark.parametrize(
    "answer",
    [
        problem(409, "order_shipped"),
        problem(403, "client_disabled", type=None),
        problem(403, "client_disabled", type="about:blank"),
        problem(403, "client_disabled", type="https://a.test/problems/client_disabled"),
        problem(429, "rate_limited"),
        problem(503, "guard_full"),
        Answer(401, {"Content-Type": "application/json"}, SIGNATURE_INVALID),
        Answer(400, {"Content-Type": "application/problem+json"}, b'["code"]'),
        Answer(400, {"Content-Type": "application/problem+json"}, b'{"code": ["x"]}'),
        Answer(400, {"Content-Type": "application/problem+json"}, b"{"),
        Answer(200, {"Content-Type": "application/problem+json"}, SIGNATURE_INVALID),
        Answer(500, {}, b"oops"),
    ],
    ids=range(12),
)
def test_answers_of_the_api_are_passed_through(client: str, answer: Answer) -> None:
    with serving(lambda _: answer) as server:
        got = send(client, signer(), "GET", f"{server.origin}/")
    assert (got.status, got.body) == (answer.status, answer.body)
    assert len(server.sent) == 1
