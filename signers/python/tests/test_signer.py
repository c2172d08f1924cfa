from __future__ import annotations

import base64
import logging
import math
import multiprocessing
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

from countersign import RefusedError, Signer, SigningError, Verifier
from countersign._seconds import ProcessMemory, process_memory
from tests import vectors

NOW = 1_775_505_117
URL = "https://api.example.test/v1/payments?ref=7"


def signer(**options: Any) -> Signer:
    if "private_key_file" not in options:
        options.setdefault("private_key", vectors.private_key())
    options.setdefault("now", lambda: float(NOW))
    return Signer("shop", **options)


@pytest.mark.parametrize(
    "case", vectors.cases("positive") + vectors.accepted("ed25519"), ids=lambda case: case["id"]
)
def test_signs_byte_for_byte(case: dict[str, Any]) -> None:
    given, expected = case["signer"]["input"], case["signer"]["output"]
    one = Signer(given["keyid"], private_key=vectors.private_key(given["privateKey"]))
    times = {"created": given["created"], "date": given["date"]}
    signed = one.sign(given["method"], given["url"], vectors.body_of(case), **times)
    assert signed.signature_base == expected["signatureBase"]
    assert signed.headers.get("Content-Digest") == expected["contentDigest"]
    assert signed.headers["Signature-Input"] == expected["signatureInput"]
    assert signed.headers["Signature"] == expected["signature"]
    assert signed.headers["Date"] == given["date"]
    assert signed.method == given["method"].upper()
    assert signed.body == vectors.body_of(case)


def test_the_keyid_is_escaped() -> None:
    signed = Signer('a"b\\c', private_key=vectors.PRIVATE_KEY).sign("GET", URL)
    assert ';keyid="a\\"b\\\\c";' in signed.headers["Signature-Input"]
    verifier = Verifier('a"b\\c', vectors.PUBLIC_KEY)
    assert verifier.verify("GET", URL, signed.headers).ok


def test_created_and_date_are_one_reading_of_the_clock_in_seconds() -> None:
    readings = iter([NOW + 0.999, NOW + 500.0])
    signed = signer(now=lambda: next(readings)).sign("GET", URL)
    assert signed.created == NOW
    assert f";created={NOW};" in signed.headers["Signature-Input"]
    assert signed.headers["Date"] == "Mon, 06 Apr 2026 19:51:57 GMT"


def test_text_is_signed_as_utf8() -> None:
    one = signer()
    digest = one.sign("POST", URL, "é").headers["Content-Digest"]
    assert digest == one.sign("POST", URL, b"\xc3\xa9").headers["Content-Digest"]


@pytest.mark.parametrize("body", [None, b"", ""])
def test_an_empty_body_is_no_body(body: bytes | str | None) -> None:
    signed = signer().sign("POST", URL, body)
    assert "Content-Digest" not in signed.headers
    assert 'sig=("@method" "@target-uri" "date");' in signed.headers["Signature-Input"]


def test_without_date() -> None:
    signed = signer(cover_date=False).sign("GET", URL)
    assert "Date" not in signed.headers
    assert 'sig=("@method" "@target-uri");' in signed.headers["Signature-Input"]


def test_each_signature_has_a_nonce_of_its_own() -> None:
    one = signer(nonce=True)
    signed = [one.sign("GET", URL) for _ in range(40)]
    assert {request.created for request in signed} == {NOW}
    assert len({request.headers["Signature"] for request in signed}) == 40
    verifier = Verifier("shop", vectors.PUBLIC_KEY, nonce="required", now=lambda: float(NOW))
    assert all(verifier.verify("GET", URL, request.headers).ok for request in signed)


def test_equal_reads_share_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [float(NOW)]
    monkeypatch.setattr("countersign._seconds.time.monotonic", lambda: now[0])
    one = signer(now=lambda: now[0])
    for method in ("GET", "HEAD", "OPTIONS"):
        assert {one.sign(method, URL).created for _ in range(50)} == {NOW}
    # Two a second for five minutes.
    for _ in range(600):
        now[0] += 0.5
        assert one.sign("GET", URL).created == math.floor(now[0])


def test_reads_share_a_second_for_a_second_only(monkeypatch: pytest.MonkeyPatch) -> None:
    elapsed = [0.0]
    monkeypatch.setattr("countersign._seconds.time.monotonic", lambda: elapsed[0])
    one = signer()
    assert one.sign("GET", URL).created == NOW
    elapsed[0] = 1.0
    assert one.sign("GET", URL).created == NOW + 1


def test_an_equal_request_waits_for_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [NOW]

    def sleep(seconds: float) -> None:
        assert 0 < seconds <= 1
        now[0] += 1

    monkeypatch.setattr("countersign.signer._sleep", sleep)
    one = signer(now=lambda: now[0])
    created = [one.sign("POST", URL, b"x").created for _ in range(40)]
    assert created == list(range(NOW, NOW + 40))
    assert now[0] == NOW + 9


def test_reads_share_seconds_again_some_time_after_one_was_refused() -> None:
    now = NOW
    one = signer(now=lambda: float(now))
    assert one.change_second("GET", RefusedError(401, {"code": "signature_replayed"}))
    own = [one.sign("GET", f"{URL}&strict").created for _ in range(3)]
    assert own == [NOW, NOW + 1, NOW + 2]
    now = NOW + 10
    shared = [one.sign("GET", f"{URL}&strict").created for _ in range(3)]
    assert shared == [NOW + 10] * 3


def test_equal_requests_get_later_seconds_and_fail_above_thirty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("countersign.signer._sleep", waits.append)
    one = signer()
    created = [one.sign("POST", URL, b"x").created for _ in range(31)]
    assert created == list(range(NOW, NOW + 31))
    with pytest.raises(SigningError) as error:
        one.sign("POST", URL, b"x")
    assert error.value.code == "too_many_equal_requests"
    assert len(waits) == 30
    assert one.sign("POST", URL, b"y").created == NOW
    assert one.sign("PUT", URL, b"x").created == NOW
    assert one.sign("POST", URL + "7", b"x").created == NOW


def test_signers_and_threads_of_a_process_share_the_memory() -> None:
    signers = [signer(), signer()]

    def sign(number: int) -> str:
        return signers[number % 2].sign("POST", URL).headers["Signature"]

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(sign, range(30)))) == 30


def test_the_memory_forgets_after_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr("countersign._seconds.time.monotonic", lambda: clock[0])
    memory = ProcessMemory()
    assert memory.take("a" * 32, NOW)
    clock[0] += 419
    assert not memory.take("a" * 32, NOW)
    clock[0] += 421
    assert memory.take("a" * 32, NOW)


def test_a_fixed_time_is_not_signed_twice() -> None:
    one = signer()
    one.sign("GET", URL, created=NOW)
    with pytest.raises(SigningError, match="signed before"):
        one.sign("GET", URL, created=NOW)


def test_processes_share_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "seconds"
    first = signer(shared_folder=folder).sign("POST", URL, b"x")
    # The name is shared with signers in other languages.
    assert [file.name for file in folder.iterdir()] == [f"68c30024014e3fcbce70540101ffc326.{NOW}"]
    process_memory.clear()  # as in another process
    second = signer(shared_folder=folder).sign("POST", URL, b"x")
    assert (first.created, second.created) == (NOW, NOW + 1)


def test_parallel_processes_never_sign_the_same(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        created = pool.starmap(_sign_some, [(str(tmp_path), 8)] * 3)
    assert sorted(second for some in created for second in some) == list(range(NOW, NOW + 24))


def _sign_some(folder: str, count: int) -> list[int]:
    one = signer(shared_folder=folder)
    return [one.sign("POST", URL).created for _ in range(count)]


def test_the_folder_forgets_old_files_of_its_own(tmp_path: Path) -> None:
    old, young, other = (tmp_path / name for name in (f"{'a' * 32}.1", f"{'b' * 32}.1", "notes"))
    for path, age in ((old, 421), (young, 300), (other, 421)):
        path.touch()
        os.utime(path, (time.time() - age, time.time() - age))
    signer(shared_folder=tmp_path).sign("POST", URL)
    assert not old.exists()
    assert young.exists()
    assert other.exists()


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SigningError) as error:
        signer(shared_folder=tmp_path / "file").sign("POST", URL)
    assert error.value.code == "signing_failed"


@pytest.mark.parametrize(
    ("method", "url", "says"),
    [
        ("GET ", URL, "token"),
        ("", URL, "token"),
        ("GET", URL + "#part", "fragment"),
        ("GET", "https://api.example.test", "path"),
        ("GET", "https://api.example.test?x=1", "path"),
        ("GET", "https://user:secret@api.example.test/", "user name"),
        ("GET", "https:///path", "host"),
        ("GET", "https://API.example.test/", "lower case"),
        ("GET", "https://api.example.test:443/", "default port"),
        ("GET", "http://api.example.test:80/", "default port"),
        ("GET", "https://a.test\\b/", "host"),
        ("GET", "/v1/payments", "https://"),
        ("GET", "ftp://a.test/", "https://"),
        ("GET", URL + "é", "percent-encoded"),
        ("GET", URL + " ", "percent-encoded"),
        ("GET", URL + "\n", "percent-encoded"),
        ("GET", "https://a.test/" + "a" * 8500, "8492"),
    ],
)
def test_what_cannot_be_sent_unchanged_is_rejected(method: str, url: str, says: str) -> None:
    with pytest.raises(SigningError, match=says) as error:
        signer().sign(method, url)
    assert error.value.code == "request_invalid"
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("created", [-1, 253_402_300_800])
def test_a_time_must_be_one_that_a_date_can_say(created: int) -> None:
    with pytest.raises(SigningError) as error:
        signer().sign("GET", URL, created=created)
    assert error.value.code == "request_invalid"


def test_a_body_above_the_limit_is_an_error() -> None:
    one = signer(body_bytes_max=4)
    assert one.sign("POST", URL, b"1234").body == b"1234"
    with pytest.raises(SigningError, match="body_bytes_max") as error:
        one.sign("POST", URL, "123é")
    assert error.value.code == "body_too_large"


def test_a_body_must_be_bytes_or_text() -> None:
    body: Any = {"amount": 1}
    with pytest.raises(SigningError) as error:
        signer().sign("POST", URL, body)
    assert error.value.code == "request_invalid"


@pytest.mark.parametrize("client_id", ["", "my shop", "é", "x" * 257, "a\n", None])
def test_the_client_id_is_visible_ascii(client_id: Any) -> None:
    with pytest.raises(SigningError) as error:
        Signer(client_id, private_key=vectors.PRIVATE_KEY)
    assert error.value.code == "keyid_invalid"


def _encoded(encoding: str, form: str, passphrase: bytes | None = None) -> bytes:
    return vectors.private_key().private_bytes(
        getattr(serialization.Encoding, encoding),
        getattr(serialization.PrivateFormat, form),
        serialization.BestAvailableEncryption(passphrase)
        if passphrase
        else serialization.NoEncryption(),
    )


def _sign(data: bytes) -> bytes:
    return vectors.rsa_key().sign(data, padding.PKCS1v15(), hashes.SHA256())


@pytest.mark.parametrize(
    ("key", "passphrase"),
    [
        (vectors.PRIVATE_KEY, None),
        (vectors.PRIVATE_KEY, "not needed"),
        ("\n  " + vectors.PRIVATE_KEY.replace("\n", "\r\n"), None),
        ("\ufeff" + vectors.PRIVATE_KEY.replace("\n", "\r\n"), None),
        (_encoded("PEM", "TraditionalOpenSSL"), None),
        (base64.b64encode(_encoded("DER", "PKCS8")).decode(), None),
        (base64.b64encode(_encoded("DER", "PKCS8")).decode(), "not needed"),
        (base64.encodebytes(_encoded("DER", "TraditionalOpenSSL")), None),
        (_encoded("PEM", "PKCS8", b"secret words"), "secret words"),
        (_encoded("PEM", "TraditionalOpenSSL", b"secret words"), b"secret words"),
        (base64.b64encode(_encoded("DER", "PKCS8", b"secret words")), "secret words"),
        (vectors.private_key(), None),
        (_sign, None),
    ],
    ids=range(13),
)
def test_forms_of_a_key(key: Any, passphrase: Any) -> None:
    signed = signer(private_key=key, passphrase=passphrase).sign("GET", URL)
    verifier = Verifier("shop", vectors.PUBLIC_KEY, now=lambda: float(NOW))
    assert verifier.verify("GET", URL, signed.headers).ok


def _damaged() -> str:
    lines = vectors.PRIVATE_KEY.strip().split("\n")
    return "\n".join([*lines[:5], *lines[9:]])


@pytest.mark.parametrize(
    ("key", "passphrase", "says"),
    [
        ("", None, "no key in the text"),
        ("\ufeff\n", None, "no key in the text"),
        ("no key at all", None, "neither PEM nor Base64"),
        (vectors.PUBLIC_KEY, None, "public key"),
        (vectors.PRIVATE_KEY[:900], None, "incomplete"),
        (vectors.PRIVATE_KEY.replace("BEGIN", "BEGIN OPENSSH"), None, "ssh-keygen -p -m PKCS8"),
        (vectors.PRIVATE_KEY * 2, None, "more than one"),
        (_damaged(), None, "damaged"),
        (_encoded("PEM", "PKCS8", b"secret words"), None, "passphrase"),
        (_encoded("PEM", "PKCS8", b"secret words"), "wrong", "passphrase"),
        (vectors.KEYS["ed25519"]["privateKeyPem"][28:88], None, "damaged"),
        (vectors.KEYS["rsa-1536"]["privateKeyPem"], None, "1536 bits"),
        (vectors.KEYS["rsa-2047"]["privateKeyPem"], None, "2047 bits"),
        (vectors.KEYS["rsa-2048-e3"]["privateKeyPem"], None, "exponent"),
        (vectors.KEYS["rsa-pss-2048"]["privateKeyPem"], None, "PSS"),
        (7, None, "must be"),
        (None, None, "exactly one of private_key"),
    ],
    ids=range(17),
)
def test_keys_that_cannot_sign(key: Any, passphrase: Any, says: str) -> None:
    with pytest.raises(SigningError, match=says) as error:
        Signer("shop", private_key=key, passphrase=passphrase)
    assert error.value.code == "private_key_invalid"
    assert "MII" not in str(error.value)
    assert "secret" not in str(error.value)


def test_a_function_that_fails_or_returns_no_signature() -> None:
    def fail(_: bytes) -> bytes:
        raise OSError("vault")

    for key in (fail, lambda _: b"short", lambda _: "text" * 100):
        with pytest.raises(SigningError) as error:
            signer(private_key=key).sign("GET", URL)
        assert error.value.code == "signing_failed"


def test_a_key_file_is_followed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "private.pem"
    path.write_text(vectors.PRIVATE_KEY)
    one = signer(private_key_file=path, now=time.time)
    assert _signed_by(one) == "first"
    path.write_text(vectors.OTHER_PRIVATE_KEY[:300])  # half written
    time.sleep(0.6)
    assert _signed_by(one) == "first"
    assert "previous key" in caplog.text
    assert "MII" not in caplog.text
    path.write_text(vectors.OTHER_PRIVATE_KEY)
    changed = time.monotonic()
    while _signed_by(one) == "first":
        assert time.monotonic() - changed < 30
        time.sleep(0.05)
    assert _signed_by(one) == "second"


def _signed_by(one: Signer) -> str:
    url = f"{URL}&n={time.monotonic_ns()}"
    headers = one.sign("GET", url).headers
    keys = {"first": vectors.PUBLIC_KEY, "second": vectors.OTHER_PUBLIC_KEY}
    return next(
        name for name, key in keys.items() if Verifier("shop", key).verify("GET", url, headers).ok
    )


VARIABLES = {"COUNTERSIGN_CLIENT_ID": "shop", "COUNTERSIGN_PRIVATE_KEY": vectors.PRIVATE_KEY}


@pytest.mark.parametrize(
    ("environment", "code", "named"),
    [
        ({}, "keyid_invalid", "COUNTERSIGN_CLIENT_ID"),
        ({**VARIABLES, "COUNTERSIGN_CLIENT_ID": ""}, "keyid_invalid", "COUNTERSIGN_CLIENT_ID"),
        ({"COUNTERSIGN_CLIENT_ID": "shop"}, "private_key_invalid", "COUNTERSIGN_PRIVATE_KEY_FILE"),
        (
            {**VARIABLES, "COUNTERSIGN_PRIVATE_KEY_FILE": "a.pem"},
            "private_key_invalid",
            "COUNTERSIGN_PRIVATE_KEY_FILE",
        ),
    ],
)
def test_an_environment_that_cannot_be_used(
    environment: dict[str, str], code: str, named: str
) -> None:
    with pytest.raises(SigningError, match=named) as caught:
        Signer.from_environment(environment)
    assert caught.value.code == code
    assert "a.pem" not in str(caught.value)
    assert "MII" not in str(caught.value)


def test_the_environment_says_who_signs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    signed = Signer.from_environment(cover_date=False).sign("GET", URL)
    assert "Date" not in signed.headers
    assert ';keyid="shop";' in signed.headers["Signature-Input"]

    file = tmp_path / "private.pem"
    key = serialization.load_pem_private_key(vectors.PRIVATE_KEY.encode(), None)
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )
    encrypted = {
        "COUNTERSIGN_CLIENT_ID": "shop",
        "COUNTERSIGN_PRIVATE_KEY": "",
        "COUNTERSIGN_PRIVATE_KEY_FILE": str(file),
        "COUNTERSIGN_PASSPHRASE": "secret",
    }
    signed = Signer.from_environment(encrypted).sign("PUT", URL)
    assert Verifier("shop", vectors.PUBLIC_KEY).verify("PUT", URL, signed.headers).ok


def test_options_win_over_the_environment() -> None:
    key = vectors.KEYS["rsa-2048-b"]
    environment = {
        "COUNTERSIGN_CLIENT_ID": "shop",
        "COUNTERSIGN_PRIVATE_KEY_FILE": "missing.pem",
    }
    one = Signer.from_environment(environment, client_id="other", private_key=key["privateKeyPem"])
    verifier = Verifier("other", key["publicKeyPem"])
    assert verifier.verify("GET", URL, one.sign("GET", URL).headers).ok


def test_the_log_says_what_the_signer_learned(caplog: pytest.LogCaptureFixture) -> None:
    one = signer()
    time_problem = {"code": "created_expired", "serverTime": "2026-04-06T21:51:57Z"}
    with caplog.at_level(logging.INFO, "countersign"):
        assert one.correct_clock(RefusedError(401, time_problem))
        for _ in range(2):
            assert one.change_second("GET", RefusedError(401, {"code": "signature_replayed"}))
    levels = [(record.name, record.levelname) for record in caplog.records]
    assert levels == [("countersign", "WARNING"), ("countersign", "INFO")]
    assert "differs by 7200 s" in caplog.text


def test_a_key_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SigningError, match=r"missing\.pem cannot be read: No such file") as error:
        Signer("shop", private_key_file=tmp_path / "missing.pem")
    assert error.value.code == "private_key_invalid"


def test_one_key_only() -> None:
    with pytest.raises(SigningError, match="exactly one of private_key"):
        Signer("shop", private_key=vectors.PRIVATE_KEY, private_key_file="private.pem")
