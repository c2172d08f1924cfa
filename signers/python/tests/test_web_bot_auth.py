"""Signing by Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01)."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import json
import logging
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from countersign import RefusedError, Signer, SigningError, Verifier
from countersign._algorithms import ALGORITHMS
from countersign._seconds import process_memory
from tests import vectors
from tests.clients import CLIENTS, send
from tests.test_package import README
from tests.wire import Answer, Sent, problem, serving

NOW = 1_795_800_000
URL = "https://shop.example.test/v1/offers"
AGENT = "https://agent.example.test/keys.json"
VECTORS = json.loads((vectors.FOLDER.parent / "web-bot-auth.json").read_text("utf-8"))
THUMBPRINTS: dict[str, str] = VECTORS["thumbprints"]
KEYS = ["ed25519", "ec-p256"]


def agent(key: Any = "ed25519", **options: Any) -> Signer:
    options.setdefault("signature_agent", AGENT)
    if "private_key_file" not in options:
        options["private_key"] = vectors.private_key(key) if isinstance(key, str) else key
    return Signer(**options)


def verify(name: str, signature: str, base: str) -> None:
    """Raise if the key did not make the signature."""
    key = serialization.load_pem_public_key(vectors.KEYS[name]["publicKeyPem"].encode())
    text = re.fullmatch(r"sig=:([A-Za-z0-9+/=]+):", signature)
    assert text
    algorithm = ALGORITHMS[vectors.ALGORITHM_OF[name]]
    algorithm.verify(key, base64.b64decode(text[1]), base.encode())


def verify_sent(sent: Sent, name: str = "ed25519") -> None:
    """Check a request as a service sees it, from nothing but the wire."""
    params = (sent.header("Signature-Input") or "").removeprefix("sig=")
    digest = base64.b64encode(hashlib.sha256(sent.body).digest()).decode()
    lines = [
        f'"@authority": {(sent.header("Host") or "").lower()}',
        f'"@method": {sent.method}',
        f'"@target-uri": {sent.url}',
        *([f'"content-digest": sha-256=:{digest}:'] if sent.body else []),
        f'"signature-agent";key="sig": "{AGENT}"',
        f'"@signature-params": {params}',
    ]
    covered = [line[: line.index(": ")] for line in lines[:-1]]
    assert params.startswith(f"({' '.join(covered)});created=")
    assert f';keyid="{THUMBPRINTS[name]}";alg="{vectors.ALGORITHM_OF[name]}";nonce="' in params
    assert params.endswith(';tag="web-bot-auth"')
    assert sent.header("Signature-Agent") == f'sig="{AGENT}"'
    assert sent.header("Content-Digest") == (f"sha-256=:{digest}:" if sent.body else None)
    verify(name, sent.header("Signature") or "", "\n".join(lines))


def nonce_of(signature_input: str | None) -> str:
    found = re.search(r';nonce="([^"]*)"', signature_input or "")
    assert found
    return found[1]


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["id"])
def test_signs_as_the_vectors_say(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    given, expected = case["signer"]["input"], case["signer"]["output"]

    def token_bytes(count: int) -> bytes:
        nonce = base64.b64decode(given["nonce"])
        assert len(nonce) == count
        return nonce

    monkeypatch.setattr("countersign._web_bot_auth.secrets.token_bytes", token_bytes)
    life = given["expires"] - given["created"]  # Always 300 outside the tests; one case has less.
    monkeypatch.setattr("countersign._web_bot_auth._LIFE_SECONDS", life)
    one = agent(given["privateKey"], signature_agent=given["signatureAgent"])
    signed = one.sign(given["method"], given["url"], given["body"], created=given["created"])
    assert signed.signature_base == expected["signatureBase"]
    assert signed.headers.get("Content-Digest") == expected["contentDigest"]
    assert signed.headers["Signature-Agent"] == expected["signatureAgent"]
    assert signed.headers["Signature-Input"] == expected["signatureInput"]
    assert "Date" not in signed.headers
    if "signature" in expected:
        assert signed.headers["Signature"] == expected["signature"]
    else:
        verify(given["privateKey"], signed.headers["Signature"], expected["signatureBase"])
        verify(given["privateKey"], expected["exampleSignature"], signed.signature_base)


def test_there_are_as_many_vectors_as_announced() -> None:
    assert len(VECTORS["cases"]) == VECTORS["count"] == 10


def test_equal_requests_differ_by_their_nonce(tmp_path: Path) -> None:
    one = agent(now=lambda: NOW + 0.9, shared_folder=tmp_path)
    signed = [one.sign("POST", URL, b"same") for _ in range(40)]
    signed += [one.sign("POST", URL, b"same", created=NOW) for _ in range(2)]
    assert {request.created for request in signed} == {NOW}
    assert len({nonce_of(request.headers["Signature-Input"]) for request in signed}) == len(signed)
    assert len({request.signature_base for request in signed}) == len(signed)
    for request in signed:
        assert re.fullmatch(r"[A-Za-z0-9+/]{43}=", nonce_of(request.headers["Signature-Input"]))
        assert f";created={NOW};expires={NOW + 300};" in request.headers["Signature-Input"]
    # No second is reserved, neither in the process nor in the folder.
    assert not process_memory._seconds
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", KEYS)
def test_a_function_signs_with_the_keyid_that_is_given(name: str) -> None:
    algorithm = ALGORITHMS[vectors.ALGORITHM_OF[name]]
    key = vectors.private_key(name)
    one = agent(lambda text: algorithm.sign(key, text), client_id='k"1', algorithm=algorithm.name)
    signed = one.sign("GET", URL)
    assert f';keyid="k\\"1";alg="{algorithm.name}";' in signed.headers["Signature-Input"]
    verify(name, signed.headers["Signature"], signed.signature_base)


def test_a_coordinate_with_leading_zeros_keeps_its_length() -> None:
    # One point in 256 has an x, and one a y, that begins with a zero.
    keys = (ec.derive_private_key(number, ec.SECP256R1()) for number in range(1, 5000))
    for at in (1, 33):
        key, point = next((key, point) for key in keys if (point := _point(key))[at] == 0)
        x, y = (
            base64.urlsafe_b64encode(part).decode().rstrip("=")
            for part in (point[1:33], point[33:])
        )
        jwk = f'{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}'
        digest = base64.urlsafe_b64encode(hashlib.sha256(jwk.encode()).digest()).decode()
        headers = agent(key).sign("GET", URL).headers
        assert f';keyid="{digest[:-1]}";' in headers["Signature-Input"]


def _point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )


def test_a_key_file_changes_keyid_and_algorithm_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("countersign._keys._FILE_CHECK_SECONDS", 0)
    path = tmp_path / "private.pem"
    path.write_text(vectors.KEYS["ed25519"]["privateKeyPem"])
    one = agent(private_key_file=path)
    for name in ("ed25519", "ec-p256", "ed25519"):
        path.write_text(vectors.KEYS[name]["privateKeyPem"])
        signed = one.sign("GET", URL)
        named = f';keyid="{THUMBPRINTS[name]}";alg="{vectors.ALGORITHM_OF[name]}";'
        assert named in signed.headers["Signature-Input"]
        verify(name, signed.headers["Signature"], signed.signature_base)
    path.write_text(vectors.PRIVATE_KEY)  # RSA
    with caplog.at_level(logging.WARNING, "countersign"):
        signed = one.sign("GET", URL)
    assert "previous key" in caplog.text
    assert "Web Bot Auth is signed with Ed25519" in caplog.text
    verify("ed25519", signed.headers["Signature"], signed.signature_base)


@pytest.mark.parametrize("url", [*VECTORS["signatureAgents"]["accepted"], AGENT])
def test_urls_of_agents(url: str) -> None:
    assert agent(signature_agent=url).sign("GET", URL).headers["Signature-Agent"] == f'sig="{url}"'


LONGEST = "https://agent.example/".ljust(2048, "a")


@pytest.mark.parametrize(
    "url",
    [
        *VECTORS["signatureAgents"]["refused"],
        7,
        LONGEST + "a",
        "https://agent.example/\n",
        "https://agent.example:٣/",
        "https://[1.2.3.4]/",
        "http://localhost@agent.example/",
        "http://127.0.0.11/keys.json",
        "http://[::2]/",
        "https://user:secret@agent.example/",
    ],
)
def test_urls_that_agents_cannot_have(url: Any) -> None:
    with pytest.raises(SigningError) as error:
        agent(signature_agent=url)
    assert error.value.code == "request_invalid"
    assert str(error.value) == (
        "The signature agent must be the https URL of a JWK Set: visible ASCII without user, "
        "fragment, quotes and backslashes; http only for localhost."
    )


def test_the_longest_url_of_an_agent() -> None:
    assert agent(signature_agent=LONGEST).sign("GET", URL).headers["Signature-Agent"] == (
        f'sig="{LONGEST}"'
    )


def _unused(_: bytes) -> bytes:
    raise AssertionError


@pytest.mark.parametrize(
    ("key", "options", "code", "says"),
    [
        ("rsa-2048-a", {}, "private_key_invalid", "Ed25519 or ECDSA P-256 here.*genpkey"),
        ("ec-p384", {}, "private_key_invalid", "Ed25519 or ECDSA P-256 here"),
        (_unused, {"client_id": "k"}, "private_key_invalid", "P-256 here.*Set algorithm"),
        ("ed25519", {"client_id": "shop"}, "keyid_invalid", "Leave out client_id"),
        ("ed25519", {"client_id": ""}, "keyid_invalid", "Leave out client_id"),
        (_unused, {"algorithm": "ed25519"}, "keyid_invalid", "Set client_id to the keyid"),
        (_unused, {"algorithm": "ed25519", "client_id": "a b"}, "keyid_invalid", "Set client_id"),
        (None, {}, "private_key_invalid", "exactly one of private_key"),
    ],
)
def test_options_that_do_not_fit(key: Any, options: dict[str, Any], code: str, says: str) -> None:
    with pytest.raises(SigningError, match=says) as error:
        agent(key, **options)
    assert error.value.code == code


ENVIRONMENT = {
    "COUNTERSIGN_SIGNATURE_AGENT": AGENT,
    "COUNTERSIGN_PRIVATE_KEY": vectors.KEYS["ed25519"]["privateKeyPem"],
}


def test_the_environment_names_the_agent() -> None:
    signed = Signer.from_environment(ENVIRONMENT).sign("GET", URL)
    assert signed.headers["Signature-Agent"] == f'sig="{AGENT}"'
    other = Signer.from_environment(ENVIRONMENT, signature_agent="https://other.example.test/k")
    assert "other" in other.sign("GET", URL).headers["Signature-Agent"]
    client = {**ENVIRONMENT, "COUNTERSIGN_CLIENT_ID": "shop"}
    with pytest.raises(SigningError, match="COUNTERSIGN_CLIENT_ID") as error:
        Signer.from_environment(client)
    assert error.value.code == "keyid_invalid"
    signed = Signer.from_environment(client, signature_agent=None).sign("GET", URL)
    assert "Signature-Agent" not in signed.headers
    key = Verifier("shop", vectors.KEYS["ed25519"]["publicKeyPem"])
    assert key.verify("GET", URL, signed.headers).ok


# HTTP clients

every_client = pytest.mark.parametrize("client", CLIENTS)


@every_client
@pytest.mark.parametrize("name", KEYS)
def test_what_arrives_is_what_was_signed(client: str, name: str) -> None:
    one = agent(name)
    with serving() as server:
        send(client, one, "GET", f"{server.origin}/v1/x?a=1")
        send(client, one, "POST", f"{server.origin}/v1/x", json={"reference": "é"})
    for sent in server.sent:
        verify_sent(sent, name)
        assert sent.header("Date") is None
    assert len(server.sent) == 2


@every_client
def test_fields_of_the_callers_are_replaced(client: str) -> None:
    given = dict.fromkeys(agent().signature_headers, "stale")
    given["Date"] = "Mon, 06 Apr 2026 19:51:57 GMT"
    given["signature-agent"] = given.pop("Signature-Agent")
    with serving() as server:
        send(client, agent(), "POST", f"{server.origin}/", body=b"x", headers=given)
        send(client, agent(), "GET", f"{server.origin}/", headers=given)
    for sent in server.sent:
        verify_sent(sent)
        # It is not a part of the signature here.
        assert sent.header("Date") == given["Date"]


@every_client
def test_a_signature_agent_of_the_callers_is_theirs_otherwise(client: str) -> None:
    one = Signer("shop", private_key=vectors.private_key())
    with serving() as server:
        send(client, one, "GET", f"{server.origin}/", headers={"Signature-Agent": "theirs"})
    (sent,) = server.sent
    assert sent.header("Signature-Agent") == "theirs"
    assert Verifier("shop", vectors.PUBLIC_KEY).verify("GET", sent.url, sent.headers).ok


def moved(sent: Sent, location: str) -> Answer:
    """Redirect what is sent to ``/``, as a service that knows nothing of Countersign."""
    return Answer(307, {"Location": location}) if sent.target == "/" else Answer()


@every_client
@pytest.mark.parametrize("status", [302, 307])
def test_redirects_are_signed_where_they_are_sent(client: str, status: int) -> None:
    def answer(sent: Sent) -> Answer:
        following = {"/": "/second?a=%c3%a9", "/second": f"{server.origin}/third"}
        location = following.get(sent.target.partition("?")[0])
        return Answer(status, {"Location": location}) if location else Answer()

    with serving(answer) as server:
        url = f"{server.origin}/"
        got = send(client, agent(), "POST", url, body=b"x", follow=True, hook=True)
    assert (got.status, got.body) == (200, b"ok")
    assert [sent.target.partition("?")[0] for sent in server.sent] == ["/", "/second", "/third"]
    for sent in server.sent:
        verify_sent(sent)
    assert [sent.body for sent in server.sent[1:]] == [b"x" if status == 307 else b""] * 2
    assert len({nonce_of(sent.header("Signature-Input")) for sent in server.sent}) == 3


@pytest.mark.parametrize("client", ["httpx", "httpx-async"])
def test_httpx_without_the_hook_signs_a_redirect_when_it_is_asked(client: str) -> None:
    def answer(sent: Sent) -> Answer:
        if sent.target == "/" or sent.header("Signature"):
            return moved(sent, "/next")
        return problem(401, "signature_missing")

    with serving(answer) as server:
        send(client, agent(), "POST", f"{server.origin}/", body=b"x", follow=True)
    first, unsigned, second = server.sent
    verify_sent(first)
    verify_sent(second)
    assert [name for name in agent().signature_headers if unsigned.header(name)] == []


@pytest.mark.parametrize("client", ["httpx", "httpx-async"])
def test_the_hook_signs_redirects_of_the_closed_profile(client: str) -> None:
    one = Signer("shop", private_key=vectors.private_key())
    with serving(lambda sent: moved(sent, "/next")) as server:
        send(client, one, "POST", f"{server.origin}/", body=b"x", follow=True, hook=True)
    verifier = Verifier("shop", vectors.PUBLIC_KEY)
    verdicts = [verifier.verify(s.method, s.url, s.headers, s.body).ok for s in server.sent]
    assert verdicts == [True, True]


@every_client
@pytest.mark.parametrize("hook", [False, True])
def test_no_signature_reaches_another_origin(client: str, hook: bool) -> None:
    """Not even when the other origin redirects, or asks for one."""

    def elsewhere(sent: Sent) -> Answer:
        answer = moved(sent, "/again")
        return problem(401, "signature_missing") if answer.status == 200 else answer

    def first(sent: Sent) -> Answer:
        return moved(sent, other.origin)

    answered = contextlib.suppress(RefusedError)
    with serving(elsewhere) as other, serving(first) as server, answered:
        url = f"{server.origin}/"
        send(client, agent(), "POST", url, body=b"x", follow=True, hook=hook)
    verify_sent(server.sent[0])
    assert [sent.target for sent in other.sent] == ["/", "/again"]
    for sent in other.sent:
        assert [name for name in agent().signature_headers if sent.header(name)] == []


@pytest.mark.parametrize("client", ["httpx", "httpx-async"])
def test_the_hook_signs_nothing_that_another_origin_leads_back_to(client: str) -> None:
    with serving() as server, serving(lambda sent: moved(sent, f"{server.origin}/back")) as other:
        server.answer = lambda sent: moved(sent, other.origin)
        url = f"{server.origin}/"
        assert send(client, agent(), "GET", url, follow=True, hook=True).status == 200
    verify_sent(server.sent[0])
    for sent in (*other.sent, server.sent[1]):
        assert [name for name in agent().signature_headers if sent.header(name)] == []
    assert [sent.target for sent in server.sent] == ["/", "/back"]


@every_client
@pytest.mark.parametrize(
    "code", ["created_expired", "created_in_future", "date_mismatch", "signature_replayed"]
)
def test_an_agent_learns_nothing_from_responses(client: str, code: str) -> None:
    one = agent(now=lambda: NOW)
    there = datetime.fromtimestamp(NOW + 7200, timezone.utc).isoformat().replace("+00:00", "Z")
    with serving(lambda _: problem(401, code, serverTime=there)) as server:
        with pytest.raises(RefusedError) as error:
            send(client, one, "GET", f"{server.origin}/")
        assert error.value.code == code
        assert error.value.server_time is not None
        assert len(server.sent) == 1
        assert send(client, agent(raises_refusals=False), "GET", f"{server.origin}/").status == 401
        server.answer = lambda _: Answer()
        send(client, one, "GET", f"{server.origin}/")
    assert len(server.sent) == 3
    assert f";created={NOW};" in (server.sent[-1].header("Signature-Input") or "")
    assert one._shares_seconds()


@every_client
def test_rejections_are_errors(client: str) -> None:
    refusal = problem(401, "signature_invalid")
    with serving(lambda _: refusal) as server, pytest.raises(RefusedError) as error:
        send(client, agent(), "GET", f"{server.origin}/")
    assert error.value.code == "signature_invalid"


def test_any_other_client_sends_what_is_signed() -> None:
    with serving() as server:
        signed = agent().sign("POST", f"{server.origin}/v1/x?a=1", b"body")
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request(signed.method, "/v1/x?a=1", signed.body, signed.headers)
        assert connection.getresponse().status == 200
        connection.close()
    verify_sent(server.sent[0])


@pytest.mark.parametrize("example", [0, 1], ids=["requests", "httpx"])
def test_the_readme_signs_as_an_agent(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    example: int,
) -> None:
    section = README.split("\n## Sign as an agent\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert len(blocks) == 2
    (tmp_path / "private.pem").write_text(vectors.KEYS["ed25519"]["privateKeyPem"])
    monkeypatch.chdir(tmp_path)
    with serving() as server:
        server.answer = lambda sent: (
            Answer(307, {"Location": "/v2/offers"}) if "/v1/" in sent.target else Answer()
        )
        program = blocks[example].replace("https://shop.example.com", server.origin)
        exec(program.replace("https://agent.example.com", AGENT[: AGENT.rindex("/")]), {})
    assert [sent.target for sent in server.sent] == ["/v1/offers", "/v2/offers"]
    for sent in server.sent:
        verify_sent(sent)
    assert capsys.readouterr().out == "200\n"
