"""The signing profile's facts and texts: component list, signature base, digest, date, limits."""

from __future__ import annotations

import base64
import hashlib
import re
from email.utils import formatdate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LABEL = "sig"

TARGET_URI_LENGTH_MAX = 8492
SIGNATURE_FIELD_LENGTH_MAX = 4096
KEYID_LENGTH_MAX = 256
NONCE_LENGTH_MIN = 16
NONCE_LENGTH_MAX = 64
# The last second of the year 9999, the last that an IMF-fixdate can represent.
CREATED_MAX = 253_402_300_799

DEFAULT_PORTS = {"http": ":80", "https": ":443"}

_METHOD_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}")
_VISIBLE_ASCII = re.compile(r"[!-~]+")
_LOWER_CASE = re.compile(r"[a-z]+")


def method_fault(method: str) -> str | None:
    """Return why a method cannot be signed (RFC 9110 section 5.6.2)."""
    return None if _METHOD_TOKEN.fullmatch(method) else "the method is not a token"


def target_uri_fault(url: str) -> str | None:
    """Return why a URL cannot be signed. It is compared as text, so it must be in wire form."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in ("http", "https"):
        return "the URL must start with https:// or http://"
    if len(url) > TARGET_URI_LENGTH_MAX:
        return f"the URL has more than {TARGET_URI_LENGTH_MAX} characters"
    if not _VISIBLE_ASCII.fullmatch(url):
        return "the URL has spaces or characters that must be percent-encoded"
    if "#" in url:
        return "the URL has a fragment, which is never sent. Leave out the part from # on"
    authority = re.split(r"[/?]", rest, maxsplit=1)[0]
    if not authority or "\\" in authority:
        return "the URL has no valid host"
    if "@" in authority:
        return "the URL has a user name or password. Leave out the part before @"
    if not rest[len(authority) :].startswith("/"):
        return 'the URL has no path. Write at least "/" after the host'
    return None


def host_fault(url: str) -> str | None:
    """Return why a service would not recognize the host of a URL that can be signed."""
    scheme, authority = url.partition("://")[0], authority_of(url)
    if authority != authority.lower():
        return "the URL has upper-case letters in its host. Write it in lower case"
    if authority.endswith(DEFAULT_PORTS[scheme]):
        return "the URL has the default port of its scheme. Leave it out, as HTTP clients do"
    return None


def authority_of(url: str) -> str:
    """Return the host and port of a URL that can be signed."""
    return url.partition("://")[2].partition("/")[0]


def upper_case(method: str) -> str:
    """Return a method in upper case, ASCII letters only."""
    return _LOWER_CASE.sub(lambda match: match[0].upper(), method)


def keyid_is_valid(keyid: object) -> bool:
    """Return True for 1 to 256 visible ASCII characters."""
    return (
        isinstance(keyid, str)
        and len(keyid) <= KEYID_LENGTH_MAX
        and _VISIBLE_ASCII.fullmatch(keyid) is not None
    )


def content_digest(body: bytes) -> str:
    """Return the ``Content-Digest`` field for a body (RFC 9530 section 2)."""
    return f"sha-256=:{encode_base64(hashlib.sha256(body).digest())}:"


def encode_base64(data: bytes) -> str:
    """Return canonical Base64, padded and on one line."""
    return base64.b64encode(data).decode("ascii")


def http_date(unix_seconds: int) -> str:
    """Return an IMF-fixdate (RFC 9110 section 5.6.7)."""
    return formatdate(unix_seconds, usegmt=True)


def component_list(covers_digest: bool, covers_date: bool) -> str:
    """Return the covered components as ``Signature-Input`` lists them."""
    names = ["@method", "@target-uri"]
    if covers_digest:
        names.append("content-digest")
    if covers_date:
        names.append("date")
    return "(" + " ".join(f'"{name}"' for name in names) + ")"


def signature_params(components: str, parameters: Mapping[str, int | str | None]) -> str:
    """Return the value of ``@signature-params`` (RFC 9421 section 2.3), without what is None."""
    texts = [f";{name}={_item(value)}" for name, value in parameters.items() if value is not None]
    return components + "".join(texts)


def _item(value: int | str) -> str:
    if not isinstance(value, str):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def signature_base(
    method: str, target_uri: str, digest: str | None, date: str | None, params: str
) -> str:
    """Return the text to sign by the profile."""
    components = {'"@method"': method, '"@target-uri"': target_uri}
    if digest is not None:
        components['"content-digest"'] = digest
    if date is not None:
        components['"date"'] = date
    return base_of(components, params)


def base_of(components: Mapping[str, str], params: str) -> str:
    """Return the text to sign (RFC 9421 section 2.5): line feeds between lines, none at the end.

    Args:
        components: the identifiers as ``Signature-Input`` lists them, with their values.
        params: the value of ``@signature-params``.

    """
    lines = [f"{name}: {value}" for name, value in components.items()]
    lines.append(f'"@signature-params": {params}')
    return "\n".join(lines)
