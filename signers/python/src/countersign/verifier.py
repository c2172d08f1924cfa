"""A verifier for tests of programs that sign. It does not protect an API."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Callable, Literal, cast

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from countersign import _profile
from countersign._algorithms import ALGORITHMS, KINDS, Algorithm, PublicKeyObject, algorithm_of
from countersign._keys import EXPONENT, MODULUS_BITS_MAX, MODULUS_BITS_MIN
from countersign._signature_input import SignatureInput, read_signature, read_signature_input

if TYPE_CHECKING:
    from collections.abc import Iterable

NoncePolicy = Literal["off", "optional", "required"]

MAX_AGE_SECONDS = 300
MAX_FUTURE_SECONDS = 60
MAX_DATE_DIFFERENCE_SECONDS = 60
EQUAL_READS_SECONDS = 2

_CONTENT_DIGEST = re.compile(r"sha-256=:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=:")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class Verification:
    """What a service would answer, as far as the request alone decides."""

    code: str | None
    """One of the service's codes; None if the request is accepted."""
    reason: str | None = None

    @property
    def ok(self) -> bool:
        """True if the request is accepted."""
        return self.code is None


class Verifier:
    """Checks what a service checks about a request alone, in the service's order.

    It checks the fields, the time, the signature, the digest and repetition. It knows one client,
    and neither network whitelists nor permissions: use it to test your own program.

    Args:
        client_id: the only client that is accepted.
        public_key: its key, as PEM, or an ``RSAPublicKey``, ``Ed25519PublicKey`` or
            ``EllipticCurvePublicKey`` (P-256 or P-384).
        accept_without_date: also accepts signatures without ``date``.
        nonce: "off", "optional" or "required".
        now: the clock, in Unix seconds.

    Raises:
        ValueError: the key is of no kind that can be registered.

    """

    def __init__(
        self,
        client_id: str,
        public_key: str | bytes | PublicKeyObject,
        *,
        accept_without_date: bool = False,
        nonce: NoncePolicy = "off",
        now: Callable[[], float] = time.time,
    ) -> None:
        self._client_id = client_id
        self._public_key, self._algorithm = _read_public_key(public_key)
        self._accept_without_date = accept_without_date
        self._nonce = nonce
        self._now = now
        self._used: dict[bytes, tuple[int, float]] = {}

    def verify(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | Iterable[tuple[str, str]],
        body: bytes | None = None,
    ) -> Verification:
        """Verify one received request, and remember its signature if it is accepted.

        Args:
            method: as received.
            url: the URL as called: scheme and host of the service, then the raw request target.
            headers: the header lines as received.
            body: the bytes as received.

        """
        try:
            self._verify(method, url, _Fields(headers), body or b"")
        except _RefusedError as refused:
            return Verification(refused.code, refused.reason)
        return Verification(None)

    def _verify(self, method: str, url: str, fields: _Fields, body: bytes) -> None:
        fault = _profile.method_fault(method) or _profile.target_uri_fault(url)
        if fault:
            raise _RefusedError("request_malformed", fault)
        signature_input, signature = _read_fields(fields)
        created, keyid, alg = self._check_parameters(signature_input)
        covers_digest, covers_date = _check_components(signature_input, has_body=body != b"")
        now = int(self._now())
        _check_created(created, now)
        date = _check_date(fields, created) if covers_date else None
        digest = _check_digest_form(fields) if covers_digest else None
        base = _profile.signature_base(method, url, digest, date, signature_input.params_text)
        self._check_signature(keyid, alg, signature, base)
        if not covers_date and not self._accept_without_date:
            raise _RefusedError("components_invalid", '"date" is not covered')
        if digest is not None and digest != _profile.content_digest(body):
            raise _RefusedError(
                "digest_mismatch", f"Content-Digest is not the digest of the {len(body)} bytes"
            )
        used = base.encode("ascii") if self._algorithm.has_other_signatures else signature
        self._check_repetition(method, keyid, created, used, now)

    def _check_parameters(self, signature_input: SignatureInput) -> tuple[int, str, str]:
        parameters = dict(signature_input.parameters)
        created = parameters.pop("created", None)
        keyid = parameters.pop("keyid", None)
        alg = parameters.pop("alg", None)
        nonce = parameters.pop("nonce", None)
        if isinstance(created, bool) or not isinstance(created, int):
            raise _RefusedError("parameters_invalid", '"created" must be an integer')
        if not isinstance(keyid, str) or not _profile.keyid_is_valid(keyid):
            raise _RefusedError("parameters_invalid", '"keyid" must be a string, the Client ID')
        if not isinstance(alg, str):
            raise _RefusedError("parameters_invalid", '"alg" must be a string')
        self._check_nonce(nonce)
        if parameters:
            raise _RefusedError("parameters_invalid", f"unknown: {', '.join(parameters)}")
        if alg not in ALGORITHMS:
            allowed = " or ".join(ALGORITHMS)
            raise _RefusedError("algorithm_not_allowed", f"alg must be {allowed}")
        return created, keyid, alg

    def _check_nonce(self, nonce: object) -> None:
        if nonce is None:
            if self._nonce == "required":
                raise _RefusedError("parameters_invalid", '"nonce" is missing')
            return
        if self._nonce == "off":
            raise _RefusedError("parameters_invalid", '"nonce" is not allowed')
        if not isinstance(nonce, str) or not re.fullmatch(
            f"[!-~]{{{_profile.NONCE_LENGTH_MIN},{_profile.NONCE_LENGTH_MAX}}}", nonce
        ):
            raise _RefusedError("parameters_invalid", '"nonce" must have 16 to 64 characters')

    def _check_signature(self, keyid: str, alg: str, signature: bytes, base: str) -> None:
        if keyid != self._client_id:
            raise _RefusedError("signature_invalid", "the keyid is not this client's")
        # A key is used with its own algorithm only, whatever the request announces.
        if alg != self._algorithm.name:
            raise _RefusedError("signature_invalid", f"the key is for {self._algorithm.name}")
        try:
            self._algorithm.verify(self._public_key, signature, base.encode("ascii"))
        except (InvalidSignature, ValueError):
            raise _RefusedError(
                "signature_invalid", "the key did not make this signature"
            ) from None

    def _check_repetition(
        self, method: str, keyid: str, created: int, used: bytes, now: int
    ) -> None:
        self._used = {
            entry: (used_created, at)
            for entry, (used_created, at) in self._used.items()
            if used_created >= now - MAX_AGE_SECONDS
        }
        entry = hashlib.sha256(keyid.encode("ascii") + b"\0" + used).digest()
        earlier = self._used.get(entry)
        if earlier is None:
            self._used[entry] = (created, time.monotonic())
        elif method not in _SAFE_METHODS or time.monotonic() - earlier[1] > EQUAL_READS_SECONDS:
            raise _RefusedError("signature_replayed", "this signature was used before")


class _RefusedError(Exception):
    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class _Fields:
    """The header lines, by lower-case name."""

    def __init__(self, headers: Mapping[str, str] | Iterable[tuple[str, str]]) -> None:
        lines = headers.items() if isinstance(headers, Mapping) else headers
        self._lines: dict[str, list[str]] = {}
        for name, value in lines:
            self._lines.setdefault(name.lower(), []).append(value.strip(" \t"))

    def only(self, name: str, missing: str, repeated: str) -> str:
        lines = self._lines.get(name.lower(), [])
        if not lines:
            raise _RefusedError(missing, f"the {name} header is missing")
        if len(lines) > 1:
            raise _RefusedError(repeated, f"the {name} header comes {len(lines)} times")
        return lines[0]


def _read_fields(fields: _Fields) -> tuple[SignatureInput, bytes]:
    missing = "signature_missing"
    input_text = fields.only("Signature-Input", missing, missing)
    signature_text = fields.only("Signature", missing, missing)
    signature_input = read_signature_input(input_text)
    if signature_input is None:
        raise _RefusedError(
            "signature_malformed", 'Signature-Input is not one member "sig" in canonical text'
        )
    signature = read_signature(signature_text)
    if signature is None:
        raise _RefusedError(
            "signature_malformed", 'Signature is not one member "sig" with canonical Base64'
        )
    return signature_input, signature


def _check_components(signature_input: SignatureInput, *, has_body: bool) -> tuple[bool, bool]:
    for covers_date in (True, False):
        if signature_input.components_text == _profile.component_list(has_body, covers_date):
            return has_body, covers_date
    expected = _profile.component_list(has_body, covers_date=True)
    raise _RefusedError("components_invalid", f"the covered components must be {expected}")


def _check_created(created: int, now: int) -> None:
    if now - created > MAX_AGE_SECONDS:
        raise _RefusedError("created_expired", f"created is {now - created} s old")
    if created - now > MAX_FUTURE_SECONDS:
        raise _RefusedError("created_in_future", f"created is {created - now} s ahead")


def _check_date(fields: _Fields, created: int) -> str:
    date = fields.only("Date", "date_invalid", "date_invalid")
    seconds = _date_seconds(date)
    if seconds is None:
        raise _RefusedError("date_invalid", "the Date header is not an IMF-fixdate")
    if abs(seconds - created) > MAX_DATE_DIFFERENCE_SECONDS:
        raise _RefusedError("date_mismatch", f"{abs(seconds - created)} s between Date and created")
    return date


def _date_seconds(text: str) -> int | None:
    try:
        date = datetime.strptime(text, "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=timezone.utc)
        seconds = int(date.timestamp())
    except (ValueError, OverflowError):
        return None
    # strptime accepts more than the canonical text.
    return seconds if _profile.http_date(seconds) == text else None


def _check_digest_form(fields: _Fields) -> str:
    digest = fields.only("Content-Digest", "digest_missing", "digest_malformed")
    if not _CONTENT_DIGEST.fullmatch(digest):
        raise _RefusedError("digest_malformed", "Content-Digest is not one sha-256 digest")
    return digest


def _read_public_key(key: str | bytes | PublicKeyObject) -> tuple[PublicKeyObject, Algorithm]:
    read = _load_public_key(key) if isinstance(key, (str, bytes)) else key
    algorithm = algorithm_of(read)
    if algorithm is None:
        raise ValueError(f"public_key is not {KINDS}")
    if isinstance(read, rsa.RSAPublicKey):
        _check_rsa(read)
    return cast("PublicKeyObject", read), algorithm


def _load_public_key(text: str | bytes) -> object:
    data = text.encode("utf-8") if isinstance(text, str) else text
    try:
        if b"-----BEGIN" in data:
            return serialization.load_pem_public_key(data)
        return serialization.load_der_public_key(base64.b64decode(data))
    except binascii.Error:
        raise ValueError("public_key must be PEM or Base64 text") from None
    except UnsupportedAlgorithm:
        raise ValueError(f"public_key is not {KINDS}") from None


def _check_rsa(key: rsa.RSAPublicKey) -> None:
    if not MODULUS_BITS_MIN <= key.key_size <= MODULUS_BITS_MAX:
        raise ValueError(f"public_key has {key.key_size} bits, fewer or more than allowed")
    if key.public_numbers().e != EXPONENT:
        raise ValueError(f"the exponent of public_key is not {EXPONENT}")
