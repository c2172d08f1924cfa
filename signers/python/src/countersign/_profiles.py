"""What a signer covers and sends: one class for each profile of RFC 9421 that it can sign by."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from countersign import _profile
from countersign._seconds import request_hash
from countersign.errors import SigningError

if TYPE_CHECKING:
    from countersign._algorithms import Algorithm, PublicKeyObject
    from countersign._keys import SigningKey


@dataclass(frozen=True)
class Content:
    """What a signature says about a request, whenever it is made."""

    method: str
    url: str
    digest: str | None
    """The ``Content-Digest`` field; None without a body."""


@dataclass(frozen=True)
class Composition:
    """The header fields of a request, all but ``Signature``, and the text to sign."""

    headers: dict[str, str]
    signature_base: str


class Profile(Protocol):
    """A profile with the options that it was chosen with."""

    @property
    def headers(self) -> tuple[str, ...]:
        """The header fields that belong to it, also those that a request does without."""

    @property
    def learns(self) -> bool:
        """Whether responses change how later requests are signed: the clock, and equal reads."""

    def keyid(self, algorithm: Algorithm, public_key: PublicKeyObject | None) -> str:
        """Return how signatures name a key, once for each key. A function's key is not known.

        Raises:
            SigningError: the profile does not sign with this key, or cannot name it.

        """

    def repeat_hash(self, content: Content) -> str | None:
        """Return what equal requests have in common; None if their texts to sign differ anyway."""

    def compose(
        self, content: Content, created: int, date: str | None, key: SigningKey
    ) -> Composition:
        """Return what to send and to sign. A ``date`` takes the place of the time of created."""


class ClosedProfile:
    """The service's own profile, ``docs/profile.md``."""

    headers = ("Content-Digest", "Date", "Signature-Input", "Signature")
    learns = True

    def __init__(self, client_id: str | None, cover_date: bool, nonce: bool) -> None:
        if client_id is None or not _profile.keyid_is_valid(client_id):
            raise SigningError(
                "keyid_invalid",
                "client_id must be the Client ID from the API Keys page: "
                f"1 to {_profile.KEYID_LENGTH_MAX} visible ASCII characters without spaces.",
            )
        self._client_id = client_id
        self._cover_date = cover_date
        self._nonce = nonce

    def keyid(self, _algorithm: Algorithm, _public_key: PublicKeyObject | None) -> str:
        return self._client_id

    def repeat_hash(self, content: Content) -> str:
        return request_hash(self._client_id, content.method, content.url, content.digest)

    def compose(
        self, content: Content, created: int, date: str | None, key: SigningKey
    ) -> Composition:
        digest = content.digest
        date = (date or _profile.http_date(created)) if self._cover_date else None
        params = _profile.signature_params(
            _profile.component_list(digest is not None, date is not None),
            {
                "created": created,
                "keyid": key.keyid,
                "alg": key.algorithm.name,
                "nonce": secrets.token_urlsafe(24) if self._nonce else None,
            },
        )
        base = _profile.signature_base(content.method, content.url, digest, date, params)
        headers = {
            "Content-Digest": digest,
            "Date": date,
            "Signature-Input": f"{_profile.LABEL}={params}",
        }
        present = {name: value for name, value in headers.items() if value is not None}
        return Composition(present, base)
