from __future__ import annotations

import re
from typing import Any

import pytest

from countersign import Signer, Verification, Verifier
from tests import vectors

# The codes that fit a class of the vectors.
CODES = {
    "algorithm": ["algorithm_not_allowed"],
    "components": ["components_invalid"],
    "date_mismatch": ["date_mismatch"],
    "date_window": ["date_mismatch"],
    "digest_algorithm": ["digest_malformed"],
    "digest_mismatch": ["digest_mismatch"],
    "duplicate_header": ["signature_missing", "date_invalid", "digest_malformed"],
    "in_future": ["created_in_future"],
    "label": ["signature_malformed"],
    "malformed_date": ["date_invalid"],
    "malformed_digest": ["digest_malformed"],
    "malformed_request": ["request_malformed"],
    "malformed_signature": ["signature_malformed"],
    "malformed_signature_input": ["signature_malformed"],
    "missing_date": ["date_invalid"],
    "missing_digest": ["digest_missing"],
    "missing_signature": ["signature_missing"],
    "missing_signature_input": ["signature_missing"],
    "params": ["parameters_invalid"],
    "signature_mismatch": ["signature_invalid"],
    "too_old": ["created_expired"],
    "unknown_client": ["signature_invalid"],
    "weak_key": ["signature_invalid"],
}
# keyid has visible characters only, which is checked before the client.
EARLIER = {"keyid/trailing-space": ["parameters_invalid"]}


@pytest.mark.parametrize(
    "case",
    vectors.cases("positive") + vectors.accepted("ed25519") + vectors.accepted("ecdsa"),
    ids=lambda case: case["id"],
)
def test_accepts(case: dict[str, Any]) -> None:
    assert verdict(case) == Verification(None)


@pytest.mark.parametrize(
    "case",
    vectors.cases("negative") + vectors.refused("ed25519") + vectors.refused("ecdsa"),
    ids=lambda case: case["id"],
)
def test_rejects_with_the_code_of_the_reason(case: dict[str, Any]) -> None:
    assert verdict(case).code in expected_codes(case)


def test_rejects_every_random_change() -> None:
    cases = vectors.cases("fuzz")
    wrong = [case["id"] for case in cases if verdict(case).code not in expected_codes(case)]
    assert wrong == []


def test_a_repeated_post_is_a_replay() -> None:
    verifier = Verifier("shop", vectors.PUBLIC_KEY)
    signed = Signer("shop", private_key=vectors.PRIVATE_KEY).sign("POST", "https://a.test/", b"x")
    args = (signed.method, signed.url, signed.headers, signed.body)
    assert verifier.verify(*args).ok
    assert verifier.verify(*args).code == "signature_replayed"


def test_an_equal_read_passes_for_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("countersign.verifier.time.monotonic", lambda: clock[0])
    verifier = Verifier("shop", vectors.PUBLIC_KEY)
    signed = Signer("shop", private_key=vectors.PRIVATE_KEY).sign("GET", "https://a.test/")
    args = (signed.method, signed.url, signed.headers)
    assert verifier.verify(*args).ok
    clock[0] += 2
    assert verifier.verify(*args).ok
    clock[0] += 0.1
    assert verifier.verify(*args).code == "signature_replayed"


@pytest.mark.parametrize(
    ("policy", "sends_nonce", "code"),
    [
        ("off", True, "parameters_invalid"),
        ("optional", True, None),
        ("optional", False, None),
        ("required", True, None),
        ("required", False, "parameters_invalid"),
    ],
)
def test_nonce(policy: Any, sends_nonce: bool, code: str | None) -> None:
    verifier = Verifier("shop", vectors.PUBLIC_KEY, nonce=policy)
    signer = Signer("shop", private_key=vectors.PRIVATE_KEY, nonce=sends_nonce)
    signed = signer.sign("GET", "https://a.test/")
    assert verifier.verify(signed.method, signed.url, signed.headers).code == code


def test_a_signature_without_date_needs_the_option() -> None:
    signer = Signer("shop", private_key=vectors.PRIVATE_KEY, cover_date=False)
    signed = signer.sign("PUT", "https://a.test/", b"x")
    args = (signed.method, signed.url, signed.headers, signed.body)
    assert Verifier("shop", vectors.PUBLIC_KEY).verify(*args).code == "components_invalid"
    assert Verifier("shop", vectors.PUBLIC_KEY, accept_without_date=True).verify(*args).ok


@pytest.mark.parametrize("name", ["rsa-1024-weak", "rsa-2047", "rsa-2048-e3"])
def test_keys_that_cannot_be_registered_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="public_key"):
        Verifier("shop", vectors.KEYS[name]["publicKeyPem"])


def expected_codes(case: dict[str, Any]) -> list[str]:
    if case["id"] in EARLIER:
        return EARLIER[case["id"]]
    classes = [case["expect"]["class"], *case["expect"].get("alsoOk", [])]
    return [code for name in classes for code in CODES.get(name, [])]


def verdict(case: dict[str, Any]) -> Verification:
    request = case["request"]
    clients = {one["clientId"]: one["publicKey"] for one in case["verify"]["clients"]}
    text = " ".join(
        value for name, value in request["headers"] if name.lower() == "signature-input"
    )
    named = re.search(r'keyid="([^"]*)"', text)
    client_id = named[1] if named and named[1] in clients else next(iter(clients))
    try:
        verifier = Verifier(
            client_id,
            vectors.KEYS[clients[client_id]]["publicKeyPem"],
            now=lambda: float(case["verify"]["now"]),
        )
    except ValueError:
        # A key that cannot be registered is nobody's key.
        return Verification("signature_invalid")
    headers = [(name, value) for name, value in request["headers"]]
    return verifier.verify(request["method"], request["url"], headers, vectors.body_of(case))
