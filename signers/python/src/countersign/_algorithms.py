"""The signature algorithms: which key each is for, and how it signs and verifies (RFC 9421 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Union

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

PrivateKeyObject = Union[rsa.RSAPrivateKey, ed25519.Ed25519PrivateKey, ec.EllipticCurvePrivateKey]
PublicKeyObject = Union[rsa.RSAPublicKey, ed25519.Ed25519PublicKey, ec.EllipticCurvePublicKey]

KINDS = "an RSA, Ed25519 or ECDSA key (P-256 or P-384)"


class Algorithm(Protocol):
    """One algorithm, for keys of one kind."""

    @property
    def name(self) -> str:
        """What ``alg`` says."""

    @property
    def signature_bytes(self) -> range:
        """The lengths of its signatures."""

    @property
    def has_other_signatures(self) -> bool:
        """True if anybody can turn a signature into another one of the same text."""

    def sign(self, key: Any, text: bytes) -> bytes:
        """Sign a signature base."""

    def verify(self, key: Any, signature: bytes, text: bytes) -> None:
        """Raise InvalidSignature if the key did not make the signature."""


class _Rsa:
    """RSASSA-PKCS1-v1_5 with SHA-256 (RFC 9421 section 3.3.2)."""

    name = "rsa-v1_5-sha256"
    signature_bytes = range(256, 1024 + 1)
    has_other_signatures = False

    def sign(self, key: rsa.RSAPrivateKey, text: bytes) -> bytes:
        return key.sign(text, padding.PKCS1v15(), hashes.SHA256())

    def verify(self, key: rsa.RSAPublicKey, signature: bytes, text: bytes) -> None:
        key.verify(signature, text, padding.PKCS1v15(), hashes.SHA256())


class _Ed25519:
    """RFC 9421 section 3.3.6."""

    name = "ed25519"
    signature_bytes = range(64, 64 + 1)
    has_other_signatures = False

    def sign(self, key: ed25519.Ed25519PrivateKey, text: bytes) -> bytes:
        return key.sign(text)

    def verify(self, key: ed25519.Ed25519PublicKey, signature: bytes, text: bytes) -> None:
        key.verify(signature, text)


@dataclass(frozen=True)
class _Ecdsa:
    """RFC 9421 sections 3.3.4 and 3.3.5: r and s, one after the other, and not DER."""

    name: str
    hash: hashes.HashAlgorithm
    number_bytes: int
    has_other_signatures = True

    @property
    def signature_bytes(self) -> range:
        return range(2 * self.number_bytes, 2 * self.number_bytes + 1)

    def sign(self, key: ec.EllipticCurvePrivateKey, text: bytes) -> bytes:
        numbers = decode_dss_signature(key.sign(text, ec.ECDSA(self.hash)))
        return b"".join(number.to_bytes(self.number_bytes, "big") for number in numbers)

    def verify(self, key: ec.EllipticCurvePublicKey, signature: bytes, text: bytes) -> None:
        if len(signature) not in self.signature_bytes:
            raise InvalidSignature
        r = int.from_bytes(signature[: self.number_bytes], "big")
        s = int.from_bytes(signature[self.number_bytes :], "big")
        key.verify(encode_dss_signature(r, s), text, ec.ECDSA(self.hash))


RSA: Algorithm = _Rsa()
ED25519: Algorithm = _Ed25519()
_BY_CURVE: Mapping[str, Algorithm] = {
    "secp256r1": _Ecdsa("ecdsa-p256-sha256", hashes.SHA256(), 32),
    "secp384r1": _Ecdsa("ecdsa-p384-sha384", hashes.SHA384(), 48),
}
ALGORITHMS: Mapping[str, Algorithm] = {one.name: one for one in (RSA, ED25519, *_BY_CURVE.values())}


def algorithm_of(key: object) -> Algorithm | None:
    """Return the only algorithm that a private or public key is used with."""
    if isinstance(key, (rsa.RSAPrivateKey, rsa.RSAPublicKey)):
        return RSA
    if isinstance(key, (ed25519.Ed25519PrivateKey, ed25519.Ed25519PublicKey)):
        return ED25519
    if isinstance(key, (ec.EllipticCurvePrivateKey, ec.EllipticCurvePublicKey)):
        return _BY_CURVE.get(key.curve.name)
    return None
