"""The errors: requests that cannot be signed, and refusals of the service."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal

from countersign._service_codes import SERVICE_CODES

if TYPE_CHECKING:
    from collections.abc import Mapping

SigningErrorCode = Literal[
    "keyid_invalid",
    "private_key_invalid",
    "request_invalid",
    "body_too_large",
    "too_many_equal_requests",
    "signing_failed",
    "repeat_not_signed",
]


_CHALLENGE = re.compile('Signature error="([a-z_]+)"')
# A client may have repeated the request with its signature.
_FIRST_MAY_BE_ACCEPTED = (
    "The first request with this signature may have been accepted: look it up before sending again."
)


class CountersignError(Exception):
    """The base of all errors of this package."""


class SigningError(CountersignError):
    """A request or key that cannot be used. Nothing was sent, or sent again.

    Match on ``code``. The message says what to do and never contains key material.
    """

    def __init__(self, code: SigningErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: SigningErrorCode = code


class RepeatNotSignedError(SigningError):
    """A request that was sent before, and may have been carried out, was not signed again."""

    def __init__(self, method: str) -> None:
        super().__init__(
            "repeat_not_signed",
            f"This {method} was sent once already, and it is not known whether the API carried it "
            "out. Signing it again could carry it out twice, so it was not signed. Look up the "
            "outcome first, or send an Idempotency-Key that the API honors.",
        )


class RefusedError(CountersignError):
    """The service rejected a request. Match on ``code``; the texts may change.

    ``response`` is the HTTP client's own response, ``problem`` the whole problem document.
    """

    def __init__(self, status: int, problem: Mapping[str, Any], response: object = None) -> None:
        self.status = status
        self.code: str = problem["code"]
        self.title = _text(problem, "title")
        self.detail = _text(problem, "detail")
        self.reason = _text(problem, "reason")
        self.request_id = _text(problem, "requestId")
        self.server_time = _time(problem.get("serverTime"))
        self.type = _text(problem, "type")
        self.problem = problem
        self.response = response
        texts = [_sentence(text) for text in (self.title, self.reason, self.detail) if text]
        if self.code == "signature_replayed":
            texts.append(_FIRST_MAY_BE_ACCEPTED)
        texts += [f"({self.request_id})"] if self.request_id else []
        super().__init__(" ".join([f"{self.code}:", *texts]))

    @property
    def is_temporary(self) -> bool:
        """Whether it stays a response, because the HTTP clients' own retries know its status."""
        return self.status in (429, 503)


RefusalError = RefusedError
"""The first name of ``RefusedError``."""


def is_problem(status: int, content_type: str | None) -> bool:
    """Return True if a response may be a refusal, so that its body has to be read."""
    media_type = (content_type or "").partition(";")[0].strip().lower()
    return status >= 400 and media_type == "application/problem+json"


def read_refusal(
    status: int, content_type: str | None, body: bytes, response: object = None
) -> RefusedError | None:
    """Return the service's refusal; None for every other response, which is the API's own.

    The adapters call it. Call it yourself if you send requests yourself, and for responses with
    status 429 or 503, which the adapters leave to the HTTP clients' retries.
    """
    if not is_problem(status, content_type):
        return None
    try:
        problem = json.loads(body)
    except (ValueError, RecursionError):
        return None
    code = problem.get("code") if isinstance(problem, dict) else None
    if not isinstance(code, str) or code not in SERVICE_CODES:
        return None
    # The page of its code. An API may use such a code in problem documents of its own.
    if not str(problem.get("type")).endswith(f"/docs/errors#{code}"):
        return None
    return RefusedError(status, problem, response)


def read_head_refusal(
    status: int, headers: Mapping[str, str], response: object = None
) -> RefusedError | None:
    """Return the service's refusal of a HEAD, whose answer has no body, from its headers."""
    if not is_problem(status, headers.get("Content-Type")):
        return None
    challenge = _CHALLENGE.fullmatch(headers.get("WWW-Authenticate") or "")
    if challenge is None or challenge[1] not in SERVICE_CODES:
        return None
    problem = {"code": challenge[1], "serverTime": _date(headers.get("Date"))}
    return RefusedError(status, problem, response)


def _date(text: str | None) -> str | None:
    try:
        return parsedate_to_datetime(text or "").isoformat()
    except (TypeError, ValueError, IndexError):
        return None


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _text(problem: Mapping[str, Any], member: str) -> str | None:
    value = problem.get(member)
    return value if isinstance(value, str) else None


def _time(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        # Python 3.9 and 3.10 do not read the "Z".
        time = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=timezone.utc)
