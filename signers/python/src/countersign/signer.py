"""The signer that all HTTP clients share."""

from __future__ import annotations

import logging
import math
import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable

from countersign import _profile
from countersign._keys import KeyFile, PrivateKey, SigningKey, create_signing_key
from countersign._profiles import ClosedProfile, Content, Profile
from countersign._seconds import SharedFolder, process_memory
from countersign._web_bot_auth import WebBotAuth
from countersign.errors import RefusedError, SigningError

if TYPE_CHECKING:
    from collections.abc import Mapping

_AHEAD_SECONDS_MAX = 30
_CORRECTION_SECONDS_MAX = 86_400
# How often a request waits for the next second, when too many equal ones are ahead.
_WAITS_MAX = 30
# How long each read gets a second of its own after one was refused for sharing it. A read that came
# late is refused for that too, and nobody can poll twice a second for long with a second for each.
_STRICT_SECONDS = 10
# Services accept equal reads for two seconds, which leaves one for the way.
_EQUAL_READS_SECONDS = 1.0
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_CLOCK_CODES = frozenset({"created_expired", "created_in_future", "date_mismatch"})
_sleep = time.sleep
_log = logging.getLogger("countersign")


@dataclass(frozen=True)
class SignedRequest:
    """A signed request. Send exactly this method, URL and body, with these headers."""

    method: str
    url: str
    body: bytes | None
    """The bytes that were signed; None if there are none."""
    headers: dict[str, str] = field(repr=False)
    """``Signature-Input`` and ``Signature``, with ``Content-Digest`` and ``Date`` if covered.

    With Web Bot Auth ``Signature-Agent``, and no ``Date``.
    """
    created: int
    """Unix seconds."""
    signature_base: str = field(repr=False)
    """The signed text, for comparison (RFC 9421 section 2.5)."""


class Signer:
    """Signs requests of one client. Create it once; threads and tasks may share it.

    Args:
        client_id: the Client ID from the portal. With ``signature_agent``, leave it out, unless
            ``private_key`` is a function: then it is the ``keyid``.
        private_key: PEM or bare Base64 (PKCS#8, PKCS#1 or SEC 1), an ``RSAPrivateKey``,
            ``Ed25519PrivateKey`` or ``EllipticCurvePrivateKey`` (P-256 or P-384), or a function
            that signs bytes, for keys in a vault or in hardware. The key determines the
            algorithm.
        private_key_file: a file with the key instead. A new key takes effect within a second.
        algorithm: what a function signs with, as RFC 9421 names it; ``rsa-v1_5-sha256`` by
            default. For ECDSA, the function returns r and s, not DER.
        signature_agent: the https URL of your JWK Set, to sign by Web Bot Auth instead, with
            Ed25519 or ECDSA P-256. ``cover_date``, ``nonce`` and ``shared_folder`` have no effect
            then: each signature has a ``nonce``, and none covers ``Date``. Responses have none
            either: no service's clock is adopted.
        passphrase: the passphrase of an encrypted key.
        cover_date: False leaves out ``Date``, for clients that are registered to do without.
        nonce: True adds a random ``nonce``, for services that require one.
        body_bytes_max: the largest body that is buffered for its digest.
        shared_folder: a folder in which processes with the same key record which seconds they used.
        raises_refusals: False returns refusals as ordinary responses.
        idempotency_keys: True adds a random ``Idempotency-Key`` to each POST, PATCH and other
            request that is not idempotent, unless it has one. Only for APIs that honor it.
        now: the clock, in Unix seconds; for tests.

    Raises:
        SigningError: ``keyid_invalid`` or ``private_key_invalid``; ``request_invalid`` for a
            ``signature_agent`` that cannot be sent.

    """

    def __init__(  # noqa: PLR0913
        self,
        client_id: str | None = None,
        *,
        private_key: PrivateKey | None = None,
        private_key_file: str | os.PathLike[str] | None = None,
        algorithm: str | None = None,
        signature_agent: str | None = None,
        passphrase: str | bytes | None = None,
        cover_date: bool = True,
        nonce: bool = False,
        body_bytes_max: int = 10 * 1024 * 1024,
        shared_folder: str | os.PathLike[str] | None = None,
        raises_refusals: bool = True,
        idempotency_keys: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        profile: Profile = (
            ClosedProfile(client_id, cover_date, nonce)
            if signature_agent is None
            else WebBotAuth(signature_agent, client_id)
        )
        if (private_key is None) == (private_key_file is None):
            raise SigningError(
                "private_key_invalid", "Set exactly one of private_key and private_key_file."
            )
        if private_key is None and algorithm is not None:
            raise SigningError(
                "private_key_invalid", "algorithm is only for a private_key that is a function."
            )
        self.client_id = client_id
        self.body_bytes_max = body_bytes_max
        self.raises_refusals = raises_refusals
        self.idempotency_keys = idempotency_keys
        self.signature_headers = profile.headers
        """The header fields that belong to the signature: an adapter replaces them."""
        self._profile = profile
        self._key = (
            create_signing_key(private_key, profile.keyid, passphrase, algorithm)
            if private_key is not None
            else KeyFile(private_key_file or "", profile.keyid, passphrase)
        )
        self._nonce = nonce
        self._shared_folder = None if shared_folder is None else SharedFolder(shared_folder)
        self._now = now
        self._clock_difference = 0.0
        # Until then, the service is taken to accept equal reads once; learned from a refusal.
        self._strict_until: float | None = None

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str] | None = None, **options: Any
    ) -> Signer:
        """Create a signer from environment variables.

        They are ``COUNTERSIGN_CLIENT_ID`` or ``COUNTERSIGN_SIGNATURE_AGENT``,
        ``COUNTERSIGN_PRIVATE_KEY_FILE`` or ``COUNTERSIGN_PRIVATE_KEY``, and
        ``COUNTERSIGN_PASSPHRASE``.

        Args:
            environment: the variables. They default to ``os.environ``.
            options: those of ``Signer``. They win over the variables.

        Raises:
            SigningError: a variable is missing. The message names it and repeats no value.

        """
        return cls(**_with_environment(os.environ if environment is None else environment, options))

    def sign(
        self,
        method: str,
        url: str,
        body: bytes | str | None = None,
        *,
        created: int | None = None,
        date: str | None = None,
    ) -> SignedRequest:
        """Sign one request. Equal requests within a second get a later ``created`` and ``Date``.

        Equal reads (GET, HEAD, OPTIONS) share a second instead, as services allow. When equal
        requests are 30 seconds ahead, this waits for the next second, up to 30 seconds. With Web
        Bot Auth, nothing waits: each signature has a nonce of its own.

        Args:
            method: signed, and to be sent, in upper case.
            url: signed as it is. Send that same text.
            body: the body's bytes, or its text, to be sent as UTF-8. None or empty: no body.
            created: fixed Unix seconds, for tests.
            date: a fixed ``Date``, for tests. It defaults to the time of ``created``. Has no
                effect with Web Bot Auth.

        Raises:
            SigningError: the request cannot be signed; see its ``code``.

        """
        body_bytes = self._body_bytes(body)
        fault = (
            _profile.method_fault(method)
            or _profile.target_uri_fault(url)
            or _profile.host_fault(url)
        )
        if fault:
            raise request_invalid(fault)
        method = _profile.upper_case(method)
        digest = _profile.content_digest(body_bytes) if body_bytes else None
        content = Content(method, url, digest)
        request = self._profile.repeat_hash(content)
        if created is None:
            created = self._take_second(method, request)
        elif not 0 <= created <= _profile.CREATED_MAX:
            raise request_invalid("created must be whole Unix seconds")
        elif not self._take(request, created):
            raise request_invalid("it was signed before with the same created. Choose a later one")
        key = self._key.current() if isinstance(self._key, KeyFile) else self._key
        composed = self._profile.compose(content, created, date, key)
        base = composed.signature_base
        signature = _profile.encode_base64(_signature(key, base))
        headers = {**composed.headers, "Signature": f"{_profile.LABEL}=:{signature}:"}
        return SignedRequest(method, url, body_bytes, headers, created, base)

    def correct_clock(self, refusal: RefusedError) -> bool:
        """Take over the service's clock if a refusal is about time; then sign and send once more.

        The HTTP clients' adapters call it. Call it yourself only if you send requests yourself.
        With Web Bot Auth, it does nothing and returns False.
        """
        if not self._profile.learns or refusal.code not in _CLOCK_CODES:
            return False
        if refusal.server_time is None:
            return False
        difference = refusal.server_time.timestamp() - self._now()
        if abs(difference) > _CORRECTION_SECONDS_MAX:
            return False
        self._clock_difference = difference
        _log.warning("Signing with the service's clock, which differs by %.0f s", difference)
        return True

    def change_second(self, method: str, refusal: RefusedError) -> bool:
        """Give each read its own second for a while, if one was refused; send once more.

        The HTTP clients' adapters call it. Call it yourself only if you send requests yourself.
        With Web Bot Auth, it does nothing and returns False.
        """
        if not self._profile.learns or refusal.code != "signature_replayed":
            return False
        if method.upper() not in _READS:
            return False
        if self._shares_seconds():
            _log.info("An equal read was refused: for a while, each one gets a second of its own")
        self._strict_until = self._now() + _STRICT_SECONDS
        return True

    def _shares_seconds(self) -> bool:
        return self._strict_until is None or self._now() >= self._strict_until

    def _body_bytes(self, body: bytes | str | None) -> bytes | None:
        if body is None:
            return None
        if not isinstance(body, (str, bytes, bytearray, memoryview)):
            raise request_invalid("the body must be bytes or text")
        data = body.encode("utf-8") if isinstance(body, str) else bytes(body)
        if len(data) > self.body_bytes_max:
            raise body_too_large(self.body_bytes_max)
        return data

    def _take_second(self, method: str, request: str | None) -> int:
        is_shared = method in _READS and self._shares_seconds()
        for waits in range(_WAITS_MAX + 1):
            created = self._free_second(request, is_shared)
            if created is not None:
                return created
            if waits < _WAITS_MAX:
                _sleep(1 - time.time() % 1)
        raise SigningError(
            "too_many_equal_requests",
            f"More than {_AHEAD_SECONDS_MAX} identical requests ahead: at most one a second can "
            "be signed in the long run. Send fewer, or make them differ, for example by a query "
            "parameter.",
        )

    def _free_second(self, request: str | None, is_shared: bool) -> int | None:
        now = self._now() + self._clock_difference
        if not math.isfinite(now):
            raise request_invalid("now must return Unix seconds")
        for created in range(math.floor(now), math.floor(now) + _AHEAD_SECONDS_MAX + 1):
            # A nonce already makes every signature different.
            if self._nonce or self._take(request, created, is_shared):
                return created
        return None

    def _take(self, request: str | None, second: int, is_shared: bool = False) -> bool:
        if request is None:
            return True
        if is_shared:
            return process_memory.take(request, second, _EQUAL_READS_SECONDS)
        if not process_memory.take(request, second):
            return False
        return self._shared_folder is None or self._shared_folder.take(request, second)


def _signature(key: SigningKey, base: str) -> bytes:
    try:
        signature = key.sign(base.encode("ascii"))
    except SigningError:
        raise
    except Exception as error:
        raise SigningError(
            "signing_failed",
            f"The private key did not sign ({type(error).__name__}). "
            "Check the vault or device that holds it.",
        ) from error
    if isinstance(signature, bytes) and len(signature) in key.algorithm.signature_bytes:
        return signature
    lengths = key.algorithm.signature_bytes
    length = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
    form = ": r and s, not DER" if key.algorithm.has_other_signatures else ""
    found = f"{len(signature)} bytes" if isinstance(signature, bytes) else type(signature).__name__
    raise SigningError(
        "signing_failed",
        f"The function given as private_key returned {found}; "
        f"a signature by {key.algorithm.name} has {length} bytes{form}.",
    )


def _with_environment(environment: Mapping[str, str], given: dict[str, Any]) -> dict[str, Any]:
    names = ["client_id", "signature_agent"]
    # A key that is given has nothing to do with the variables.
    if "private_key" not in given and "private_key_file" not in given:
        names += ["private_key_file", "private_key", "passphrase"]
    found = {name: environment.get(f"COUNTERSIGN_{name.upper()}") for name in names}
    options = {**{name: value for name, value in found.items() if value}, **given}
    if "client_id" not in options and options.get("signature_agent") is None:
        raise SigningError(
            "keyid_invalid",
            "Set COUNTERSIGN_CLIENT_ID to the Client ID from the portal, or, to sign by Web Bot "
            "Auth, COUNTERSIGN_SIGNATURE_AGENT to the URL of your JWK Set.",
        )
    if ("private_key" in options) == ("private_key_file" in options):
        raise SigningError(
            "private_key_invalid",
            "Set either COUNTERSIGN_PRIVATE_KEY_FILE to the file of the private key, or "
            "COUNTERSIGN_PRIVATE_KEY to the key itself.",
        )
    return options


def request_invalid(reason: str) -> SigningError:
    """Return the error for a request that cannot be signed."""
    return SigningError("request_invalid", f"This request cannot be signed: {reason}.")


def body_too_large(limit: int) -> SigningError:
    """Return the error for a body above the signer's limit."""
    return SigningError(
        "body_too_large",
        f"The body has more than {limit} bytes. Send less at a time, or raise body_bytes_max: "
        "the whole body is kept in memory for its digest.",
    )
