"""The repository's conformance vectors."""

from __future__ import annotations

import base64
import functools
import json
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

FOLDER = Path(__file__).resolve().parents[3] / "vectors" / "profile"


def cases(part: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read(part)["cases"]
    assert found
    return found


def accepted(part: str) -> list[dict[str, Any]]:
    return [case for case in cases(part) if case["expect"]["verdict"] == "accept"]


def refused(part: str) -> list[dict[str, Any]]:
    return [case for case in cases(part) if case["expect"]["verdict"] == "reject"]


def read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return content


def body_of(case: dict[str, Any]) -> bytes | None:
    body = case["request"]["body"]
    if body is None:
        return None
    if "file" in body:
        path: Path = FOLDER / body["file"]
        return path.read_bytes()
    return base64.b64decode(body["base64"])


KEYS: dict[str, dict[str, str]] = read("keys")["keys"]
PRIVATE_KEY = KEYS["rsa-2048-a"]["privateKeyPem"]
PUBLIC_KEY = KEYS["rsa-2048-a"]["publicKeyPem"]
OTHER_PRIVATE_KEY = KEYS["rsa-2048-b"]["privateKeyPem"]
OTHER_PUBLIC_KEY = KEYS["rsa-2048-b"]["publicKeyPem"]
ALGORITHM_OF = {
    "rsa-2048-a": "rsa-v1_5-sha256",
    "ed25519": "ed25519",
    "ec-p256": "ecdsa-p256-sha256",
    "ec-p384": "ecdsa-p384-sha384",
}


def rsa_key() -> RSAPrivateKey:
    key = private_key()
    assert isinstance(key, RSAPrivateKey)
    return key


@functools.cache
def private_key(
    name: str = "rsa-2048-a",
) -> RSAPrivateKey | Ed25519PrivateKey | EllipticCurvePrivateKey:
    """Load a key once: loading checks its primes, which takes longer than signing."""
    key = serialization.load_pem_private_key(KEYS[name]["privateKeyPem"].encode(), None)
    assert isinstance(key, (RSAPrivateKey, Ed25519PrivateKey, EllipticCurvePrivateKey))
    return key
