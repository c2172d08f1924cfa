from __future__ import annotations

import base64
import time
from pathlib import Path
from typing import Any, Callable

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from countersign import Signer, SigningError, Verifier
from tests import vectors

URL = "https://api.example.test/v1/payments"
CURVES = ["ec-p256", "ec-p384"]
# Of no use to anyone: a key that was made for this test, on a curve that nobody registers.
SECT283R1 = (
    "MIGQAgEAMBAGByqGSM49AgEGBSuBBAARBHkwdwIBAQQkAlFSuq5DQW5xTGwWVAhRUytlbuX2lUF+gqqu"
    "nE+kaQbV0I4qoUwDSgAEAf/VtxRlEEALQvXIW5mwqOfEPMwr+zZdgkzJNimLTbf39suMAFr07PK2kSgc"
    "XSg5+XsJ+dRlzJ8IHNuMLfgChbdhaaFVfv6u"
)
CURVE_KEYS = ["ed25519", *CURVES]
EC_PARAMETERS = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
ORDERS = {
    "ec-p256": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    "ec-p384": int("F" * 48 + "C7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973", 16),
}


def encoded(key: Any, encoding: str, form: str, passphrase: bytes | None = None) -> bytes:
    protection: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase is not None:
        protection = serialization.BestAvailableEncryption(passphrase)
    data: bytes = key.private_bytes(
        getattr(serialization.Encoding, encoding),
        getattr(serialization.PrivateFormat, form),
        protection,
    )
    return data


def signature_of(headers: dict[str, str]) -> bytes:
    return base64.b64decode(headers["Signature"][5:-1])


def numbers_of(headers: dict[str, str]) -> tuple[bytes, bytes]:
    signature = signature_of(headers)
    half = len(signature) // 2
    return signature[:half], signature[half:]


def with_signature(headers: dict[str, str], signature: bytes) -> dict[str, str]:
    return {**headers, "Signature": f"sig=:{base64.b64encode(signature).decode()}:"}


def verifies(signer: Signer, name: str) -> bool:
    headers = signer.sign("GET", f"{URL}?n={time.monotonic_ns()}").headers
    assert headers["Signature-Input"].endswith(f';alg="{vectors.ALGORITHM_OF[name]}"')
    signed = signer.sign("POST", URL, f"{time.monotonic_ns()}")
    verifier = Verifier("shop", vectors.KEYS[name]["publicKeyPem"])
    return verifier.verify("POST", URL, signed.headers, signed.body).ok


FORMS: list[tuple[str, Callable[[Any], Any]]] = [
    ("object", lambda key: key),
    ("PEM", lambda key: encoded(key, "PEM", "PKCS8")),
    ("CRLF", lambda key: encoded(key, "PEM", "PKCS8").decode().replace("\n", "\r\n")),
    ("encrypted", lambda key: encoded(key, "PEM", "PKCS8", b"secret words")),
    ("Base64", lambda key: base64.b64encode(encoded(key, "DER", "PKCS8")).decode()),
]
SEC1: list[tuple[str, Callable[[Any], Any]]] = [
    ("SEC 1", lambda key: encoded(key, "PEM", "TraditionalOpenSSL")),
    ("SEC 1 in Base64", lambda key: base64.b64encode(encoded(key, "DER", "TraditionalOpenSSL"))),
    ("SEC 1 encrypted", lambda key: encoded(key, "PEM", "TraditionalOpenSSL", b"secret words")),
    (
        "of openssl ecparam",
        lambda key: EC_PARAMETERS.encode() + encoded(key, "PEM", "TraditionalOpenSSL"),
    ),
]


@pytest.mark.parametrize(
    ("name", "form"),
    [
        pytest.param(name, form, id=f"{name}, {what}")
        for name in CURVE_KEYS
        for what, form in FORMS + (SEC1 if name in CURVES else [])
    ],
)
def test_a_key_in_each_form_signs_with_its_own_algorithm(
    name: str, form: Callable[[Any], Any]
) -> None:
    key = form(vectors.private_key(name))
    assert verifies(Signer("shop", private_key=key, passphrase="secret words"), name)


@pytest.mark.parametrize("name", CURVES)
def test_numbers_with_leading_zeros_keep_their_length(name: str) -> None:
    signer = Signer("shop", private_key=vectors.private_key(name))
    # One in 128 has a leading zero in r or in s.
    lengths = {
        len(signature_of(signer.sign("GET", URL, created=created).headers))
        for created in range(1_700_000_000, 1_700_002_500)
    }
    assert lengths == {64 if name == "ec-p256" else 96}


OTHER_KINDS: dict[str, Callable[[], Any]] = {
    "P-521": lambda: ec.generate_private_key(ec.SECP521R1()),
    "secp256k1": lambda: ec.generate_private_key(ec.SECP256K1()),
    "DSA": lambda: dsa.generate_private_key(1024),
    "Ed448": ed448.Ed448PrivateKey.generate,
}


@pytest.mark.parametrize("make", OTHER_KINDS.values(), ids=OTHER_KINDS.keys())
def test_other_kinds_and_curves_are_refused(make: Callable[[], Any]) -> None:
    key = make()
    public = key.public_key()
    text = public.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    for form in (key, encoded(key, "PEM", "PKCS8")):
        with pytest.raises(SigningError, match=r"RSA, Ed25519 or ECDSA key \(P-256") as error:
            Signer("shop", private_key=form)
        assert error.value.code == "private_key_invalid"
    for form in (public, text):
        with pytest.raises(ValueError, match="public_key is not an RSA, Ed25519 or ECDSA key"):
            Verifier("shop", form)


@pytest.mark.parametrize("name", CURVES)
def test_both_forms_of_a_signature_are_one_request(name: str) -> None:
    signer = Signer("shop", private_key=vectors.private_key(name))
    signed = signer.sign("POST", URL, f"{name} twice")
    r, s = numbers_of(signed.headers)
    other = r + (ORDERS[name] - int.from_bytes(s, "big")).to_bytes(len(s), "big")
    for first, second in ((r + s, other), (other, r + s)):
        verifier = Verifier("shop", vectors.KEYS[name]["publicKeyPem"])
        for signature, code in ((first, None), (second, "signature_replayed")):
            headers = with_signature(signed.headers, signature)
            assert verifier.verify("POST", URL, headers, signed.body).code == code


@pytest.mark.parametrize("name", CURVES)
def test_a_signature_with_bytes_too_many_is_refused(name: str) -> None:
    signer = Signer("shop", private_key=vectors.private_key(name))
    signed = signer.sign("POST", URL, f"{name} padded")
    r, s = numbers_of(signed.headers)
    verifier = Verifier("shop", vectors.KEYS[name]["publicKeyPem"])
    for signature in (r + b"\0" + s, b"\0" + r + b"\0" + s, r + s[1:], r):
        headers = with_signature(signed.headers, signature)
        assert verifier.verify("POST", URL, headers, signed.body).code == "signature_invalid"


@pytest.mark.parametrize("name", list(vectors.ALGORITHM_OF))
def test_a_function_signs_with_the_algorithm_that_is_named(name: str) -> None:
    key: Any = vectors.private_key(name)
    own = Signer("shop", private_key=key)._key
    algorithm = None if name == "rsa-2048-a" else vectors.ALGORITHM_OF[name]
    assert verifies(Signer("shop", private_key=own.sign, algorithm=algorithm), name)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", CURVES)
def test_der_from_a_function_is_not_sent(name: str) -> None:
    key = vectors.private_key(name)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    hash_function = hashes.SHA256() if name == "ec-p256" else hashes.SHA384()

    def sign(text: bytes) -> bytes:
        der = key.sign(text, ec.ECDSA(hash_function))
        assert decode_dss_signature(der)
        return der

    signer = Signer("shop", private_key=sign, algorithm=vectors.ALGORITHM_OF[name])
    with pytest.raises(SigningError, match="r and s, not DER") as error:
        signer.sign("GET", URL)
    assert error.value.code == "signing_failed"


@pytest.mark.parametrize(
    ("algorithm", "returned", "says"),
    [
        (None, b"s" * 255, "returned 255 bytes; .*rsa-v1_5-sha256 has 256 to 1024 bytes"),
        (None, b"s" * 1025, "returned 1025 bytes"),
        ("ed25519", b"s" * 65, "returned 65 bytes; .*ed25519 has 64 bytes"),
        ("ecdsa-p384-sha384", b"s" * 64, "has 96 bytes: r and s, not DER"),
        ("ed25519", "s" * 64, "returned str"),
    ],
)
def test_what_a_function_may_not_return(algorithm: str | None, returned: Any, says: str) -> None:
    signer = Signer("shop", private_key=lambda _: returned, algorithm=algorithm)
    with pytest.raises(SigningError, match=says) as error:
        signer.sign("GET", URL)
    assert error.value.code == "signing_failed"


def test_a_passphrase_does_not_hide_that_a_kind_is_not_supported() -> None:
    for passphrase in (None, "not needed"):
        with pytest.raises(SigningError, match="not an RSA, Ed25519 or ECDSA key"):
            Signer("shop", private_key=SECT283R1, passphrase=passphrase)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"private_key": lambda _: b"", "algorithm": "ES256"}, "must be one of rsa-v1_5-sha256, "),
        ({"private_key": lambda _: b"", "algorithm": ["ed25519"]}, "must be one of"),
        ({"private_key": vectors.PRIVATE_KEY, "algorithm": "ed25519"}, "only for a function"),
        ({"private_key_file": "key.pem", "algorithm": "ed25519"}, "that is a function"),
    ],
)
def test_an_algorithm_that_cannot_be_named(options: dict[str, Any], says: str) -> None:
    with pytest.raises(SigningError, match=says) as error:
        Signer("shop", **options)
    assert error.value.code == "private_key_invalid"


def test_a_key_file_can_change_its_algorithm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("countersign._keys._FILE_CHECK_SECONDS", 0)
    path = tmp_path / "private.pem"
    path.write_text(vectors.PRIVATE_KEY)
    signer = Signer("shop", private_key_file=path)
    for name in ("rsa-2048-a", "ed25519", "ec-p384", "ec-p256", "rsa-2048-a"):
        path.write_text(vectors.KEYS[name]["privateKeyPem"])
        assert verifies(signer, name)
