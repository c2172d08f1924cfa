"""Strict readers for ``Signature-Input`` and ``Signature``: one member ``sig``, canonical text.

A structured field has one canonical text for each value (RFC 8941 section 4.1). The patterns below
match nothing else.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Union

from countersign._profile import SIGNATURE_FIELD_LENGTH_MAX


@dataclass(frozen=True)
class Token:
    """A structured token, which is not a string."""

    text: str


BareItem = Union[int, float, str, bytes, bool, Token]


@dataclass(frozen=True)
class SignatureInput:
    """What ``Signature-Input`` says."""

    components_text: str
    """The inner list without the parameters."""
    parameters: dict[str, BareItem]
    params_text: str
    """The value of ``@signature-params``."""


_STRING = r'"(?:[ !#-\[\]-~]|\\["\\])*"'
_DECIMAL = r"(?!-0\.0(?![0-9]))-?(?:0|[1-9][0-9]{0,11})\.(?:[0-9]{0,2}[1-9]|0)"
_INTEGER = r"(?:0|-?[1-9][0-9]{0,14})(?![0-9.])"
_TOKEN = r"[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*"  # noqa: S105
_BYTES = r":[A-Za-z0-9+/=]*:"
_ITEM = rf"(?:{_STRING}|{_DECIMAL}|{_INTEGER}|{_TOKEN}|{_BYTES}|\?0)"
_KEY = r"[a-z*][a-z0-9_.*-]*"
_PARAMETERS = rf"(?:;{_KEY}(?:={_ITEM})?)*"
_PARAMETER = re.compile(rf";({_KEY})(?:=({_ITEM}))?")
_LIST = rf"\((?:{_ITEM}{_PARAMETERS}(?: {_ITEM}{_PARAMETERS})*)?\)"
_SIGNATURE_INPUT = re.compile(rf"sig=(?P<params>(?P<list>{_LIST})(?P<parameters>{_PARAMETERS}))")
_LIST_ITEM = re.compile(rf"{_ITEM}(?P<parameters>{_PARAMETERS})")
_SIGNATURE = re.compile(r"sig=:([A-Za-z0-9+/=]*):")


def read_signature_input(text: str) -> SignatureInput | None:
    """Read the field; None for any other text."""
    if len(text) > SIGNATURE_FIELD_LENGTH_MAX:
        return None
    match = _SIGNATURE_INPUT.fullmatch(text)
    if match is None:
        return None
    for item in _LIST_ITEM.finditer(match["list"][1:-1]):
        if _read_parameters(item["parameters"]) is None:
            return None
    parameters = _read_parameters(match["parameters"])
    if parameters is None:
        return None
    return SignatureInput(match["list"], parameters, match["params"])


def read_signature(text: str) -> bytes | None:
    """Read the field; None for any other text."""
    if len(text) > SIGNATURE_FIELD_LENGTH_MAX:
        return None
    match = _SIGNATURE.fullmatch(text)
    return _decode_base64(match[1]) if match else None


def _read_parameters(text: str) -> dict[str, BareItem] | None:
    """Read parameters; None if a name comes twice or a value is not canonical."""
    parameters: dict[str, BareItem] = {}
    for match in _PARAMETER.finditer(text):
        value = True if match[2] is None else _read_item(match[2])
        if match[1] in parameters or value is None:
            return None
        parameters[match[1]] = value
    return parameters


def _read_item(text: str) -> BareItem | None:
    if text.startswith('"'):
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    if text.startswith(":"):
        return _decode_base64(text[1:-1])
    if text == "?0":
        return False
    if text[0] in "-0123456789":
        return float(text) if "." in text else int(text)
    return Token(text)


def _decode_base64(text: str) -> bytes | None:
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error:
        return None
    # The decoder ignores unused bits of the last character.
    return data if base64.b64encode(data).decode("ascii") == text else None
