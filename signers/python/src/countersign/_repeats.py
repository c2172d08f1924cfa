"""Repeats of one call that the API may carry out twice."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from countersign.errors import RepeatNotSignedError

if TYPE_CHECKING:
    from countersign.errors import RefusedError

IDEMPOTENCY_KEY = "Idempotency-Key"
# RFC 9110 section 9.2.2.
_IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
# The request may have been carried out, whatever these say.
_NO_PROOF = frozenset(
    {
        "signature_replayed",
        "upstream_failed",
        "upstream_timeout",
        "outcome_unknown",
        "request_timeout",
        "internal_error",
    }
)


def is_unsafe(method: str) -> bool:
    """Return True if sending a request twice can do something twice."""
    return method.upper() not in _IDEMPOTENT


def needs_key(method: str, key: str | bytes | None) -> bool:
    """Return True if a request must not be repeated without an ``Idempotency-Key``."""
    return is_unsafe(method) and not (key or "").strip()


def check_repeat(method: str, key: str | bytes | None, earlier_key: str | bytes | None) -> None:
    """Refuse to sign a request again that may have been carried out.

    Only the ``Idempotency-Key`` that it was sent with keeps the API from doing it twice.
    """
    if needs_key(method, key) or (is_unsafe(method) and key != earlier_key):
        raise RepeatNotSignedError(method.upper())


def new_idempotency_key() -> str:
    """Return the key of one call."""
    return str(uuid.uuid4())


class Attempts:
    """The attempts of one call, for a client that comes back to the signer in it."""

    def __init__(self) -> None:
        self.idempotency_key = new_idempotency_key()
        # The key of what was sent and may have been carried out, and how often it was sent.
        self._unknown: dict[tuple[str, str], tuple[str | None, int]] = {}

    def begin(self, method: str, url: str, key: str | None) -> None:
        """Refuse an attempt if an earlier one may have been carried out."""
        if not is_unsafe(method):
            return
        earlier_key, count = self._unknown.get((method, url), (key, 0))
        if count:
            check_repeat(method, key, earlier_key)
        self._unknown[method, url] = (key, count + 1)

    def answered(self, method: str, url: str, refusal: RefusedError | None) -> None:
        """Note what a response says about the request."""
        if refusal is not None and refusal.code not in _NO_PROOF:
            self.not_sent(method, url)

    def not_sent(self, method: str, url: str) -> None:
        """Note that an attempt did not leave, or did not arrive. Earlier ones remain unknown."""
        key, count = self._unknown.get((method, url), (None, 0))
        if count > 1:
            self._unknown[method, url] = (key, count - 1)
        else:
            self._unknown.pop((method, url), None)
