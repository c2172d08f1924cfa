"""Web Bot Auth, for agents and crawlers (draft-ietf-webbotauth-httpsig-protocol-01)."""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import json
import re
import secrets
from typing import TYPE_CHECKING, Any, Callable

from cryptography.hazmat.primitives import serialization

from countersign import _profile
from countersign._profiles import Composition, Content
from countersign.errors import SigningError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cryptography.hazmat.primitives.asymmetric import ec, ed25519

    from countersign._algorithms import Algorithm, PublicKeyObject
    from countersign._keys import SigningKey

_LIFE_SECONDS = 300
_NONCE_BYTES = 32
_MAKE_ONE = "Create a key: openssl genpkey -algorithm ed25519 -out private.pem"
_AGENT_LENGTH_MAX = 2048
_PORT_MAX = 65_535
# After the authority, visible ASCII without the quotes and backslashes of a structured string, and
# without a fragment.
_AGENT = re.compile(
    r"(?P<scheme>https?)://"
    r"(?P<host>[0-9A-Za-z._-]+|\[(?P<ipv6>[0-9A-Fa-f:.]+)\])"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?:[/?][!$-\[\]-~]*)?"
)
_LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})


class WebBotAuth:
    """Signatures that name the key by its thumbprint, and the URL where services find it."""

    headers = ("Content-Digest", "Signature-Agent", "Signature-Input", "Signature")
    # An agent calls any site, and none may change how the requests to the others are signed.
    learns = False

    def __init__(self, agent: str, client_id: str | None) -> None:
        if not _agent_is_valid(agent):
            raise SigningError(
                "request_invalid",
                "The signature agent must be the https URL of a JWK Set: visible ASCII without "
                "user, fragment, quotes and backslashes; http only for localhost.",
            )
        self._agent = f'"{agent}"'
        self._client_id = client_id

    def keyid(self, algorithm: Algorithm, public_key: PublicKeyObject | None) -> str:
        jwk_of = _JWK_OF.get(algorithm.name)
        if jwk_of is None:
            hint = (
                "Set algorithm to what the function signs with."
                if public_key is None
                else _MAKE_ONE
            )
            raise SigningError(
                "private_key_invalid",
                "The private key cannot be used: Web Bot Auth is signed with Ed25519 or ECDSA "
                f"P-256 here, not with {algorithm.name}. {hint}",
            )
        if public_key is not None:
            if self._client_id is not None:
                raise SigningError(
                    "keyid_invalid",
                    "With signature_agent, the keyid is the thumbprint of the key. Leave out "
                    "client_id (COUNTERSIGN_CLIENT_ID), which is only for a private_key that is a "
                    "function.",
                )
            return _thumbprint(jwk_of(public_key))
        if self._client_id is None or not _profile.keyid_is_valid(self._client_id):
            raise SigningError(
                "keyid_invalid",
                "private_key is a function, whose public key the signer cannot derive. Set "
                "client_id to the keyid: the thumbprint of its JWK (RFC 7638).",
            )
        return self._client_id

    def repeat_hash(self, _content: Content) -> None:
        return None

    def compose(
        self, content: Content, created: int, _date: str | None, key: SigningKey
    ) -> Composition:
        components = {
            '"@authority"': _profile.authority_of(content.url),
            '"@method"': content.method,
            '"@target-uri"': content.url,
        }
        headers = {"Signature-Agent": f"{_profile.LABEL}={self._agent}"}
        if content.digest is not None:
            components['"content-digest"'] = headers["Content-Digest"] = content.digest
        components[f'"signature-agent";key="{_profile.LABEL}"'] = self._agent
        params = _profile.signature_params(
            f"({' '.join(components)})",
            {
                "created": created,
                "expires": created + _LIFE_SECONDS,
                "keyid": key.keyid,
                "alg": key.algorithm.name,
                "nonce": _profile.encode_base64(secrets.token_bytes(_NONCE_BYTES)),
                "tag": "web-bot-auth",
            },
        )
        headers["Signature-Input"] = f"{_profile.LABEL}={params}"
        return Composition(headers, _profile.base_of(components, params))


def _ed25519_jwk(key: ed25519.Ed25519PublicKey) -> dict[str, str]:
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return {"crv": "Ed25519", "kty": "OKP", "x": _base64url(raw)}


def _p256_jwk(key: ec.EllipticCurvePublicKey) -> dict[str, str]:
    numbers = key.public_numbers()
    x, y = (_base64url(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
    return {"crv": "P-256", "kty": "EC", "x": x, "y": y}


# The algorithms, and the members of a JWK that a thumbprint is made of, in the order of their names
# (RFC 7638 section 3.2, RFC 8037 appendix A.3).
_JWK_OF: Mapping[str, Callable[[Any], dict[str, str]]] = {
    "ed25519": _ed25519_jwk,
    "ecdsa-p256-sha256": _p256_jwk,
}


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _thumbprint(jwk: dict[str, str]) -> str:
    text = json.dumps(jwk, separators=(",", ":"))
    return _base64url(hashlib.sha256(text.encode("ascii")).digest())


def _agent_is_valid(agent: object) -> bool:
    if not isinstance(agent, str) or len(agent) > _AGENT_LENGTH_MAX:
        return False
    url = _AGENT.fullmatch(agent)
    if not url or (url["scheme"] == "http" and url["host"] not in _LOCAL_HOSTS):
        return False
    try:
        ipaddress.IPv6Address(url["ipv6"] or "::1")
    except ValueError:
        return False
    return int(url["port"] or 1) <= _PORT_MAX
