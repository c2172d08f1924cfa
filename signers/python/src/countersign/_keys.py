"""Private keys: reading them from text, following a file, signing."""

from __future__ import annotations

import base64
import binascii
import codecs
import logging
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Union

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, padding, rsa

from countersign import _profile
from countersign.errors import SigningError

if TYPE_CHECKING:
    import os

SignFunction = Callable[[bytes], bytes]
KeyObject = Union[rsa.RSAPrivateKey, ed25519.Ed25519PrivateKey]
PrivateKey = Union[str, bytes, rsa.RSAPrivateKey, ed25519.Ed25519PrivateKey, SignFunction]

MODULUS_BITS_MIN = 2048
MODULUS_BITS_MAX = 8192
EXPONENT = 65537
_MAKE_ONE = "Create a key: openssl genrsa -out private.pem 3072"
_PSS_OBJECT_IDENTIFIER = bytes.fromhex("06092a864886f70d01010a")
_FILE_CHECK_SECONDS = 0.5
_log = logging.getLogger("countersign")


@dataclass(frozen=True)
class SigningKey:
    """What signs bytes, and the only algorithm that it signs with, as ``alg`` names it."""

    algorithm: str
    sign: SignFunction


def create_signing_key(key: PrivateKey, passphrase: str | bytes | None) -> SigningKey:
    """Return what signs bytes with a key, whatever form the key has."""
    if isinstance(key, (str, bytes)):
        key = read_private_key(key, passphrase)
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return SigningKey(_profile.ED25519, key.sign)
    if isinstance(key, rsa.RSAPrivateKey):
        return SigningKey(_profile.ALGORITHM, _sign_function(_checked(key)))
    if callable(key):
        return SigningKey(_profile.ALGORITHM, key)
    raise _invalid("private_key must be PEM or Base64 text, a private key object or a function")


def read_private_key(text: str | bytes, passphrase: str | bytes | None) -> KeyObject:
    """Read one RSA or Ed25519 key: PKCS#8 or PKCS#1, PEM or bare Base64, encrypted or not."""
    data = (text.encode("utf-8") if isinstance(text, str) else text).removeprefix(codecs.BOM_UTF8)
    if not data.strip():
        raise _invalid("there is no key in the text")
    password = passphrase.encode("utf-8") if isinstance(passphrase, str) else passphrase
    is_pem = b"-----BEGIN" in data
    if b"-----BEGIN OPENSSH PRIVATE KEY-----" in data:
        raise _invalid(
            "OpenSSH private keys are not supported. "
            "Convert a copy of the file: ssh-keygen -p -m PKCS8 -f copy-of-key"
        )
    if is_pem and b"PRIVATE KEY-----" not in data:
        raise _invalid("this is a public key or a certificate. Use the private key instead")
    if is_pem and data.count(b"-----BEGIN") > 1:
        raise _invalid("the text contains more than one key")
    is_encrypted = b"ENCRYPTED" in data
    der = b"" if is_encrypted else _der(data)
    if _PSS_OBJECT_IDENTIFIER in der[:40]:
        raise _invalid(f"the key is restricted to RSA-PSS. {_MAKE_ONE}")
    try:
        if is_pem:
            # A passphrase for a key that is not encrypted is ignored.
            password = password if is_encrypted else None
            key: object = serialization.load_pem_private_key(data.strip(), password)
        else:
            key = _load_der(der, password)
    except TypeError:
        raise _invalid("the key is encrypted. Provide its passphrase") from None
    except (ValueError, UnsupportedAlgorithm):
        # The cause may describe parts of the key.
        problem = "damaged, or the passphrase is wrong" if password else "damaged or incomplete"
        raise _invalid(f"the key is {problem}. Use the whole key file") from None
    if not isinstance(key, (rsa.RSAPrivateKey, ed25519.Ed25519PrivateKey)):
        raise _invalid(f"the key is not an RSA or Ed25519 key. {_MAKE_ONE}")
    return key


class KeyFile:
    """A private key in a file. It takes a new key from the file without a restart."""

    def __init__(self, path: str | os.PathLike[str], passphrase: str | bytes | None) -> None:
        self._path = Path(path)
        self._passphrase = passphrase
        self._lock = threading.Lock()
        try:
            self._content = self._path.read_bytes()
        except OSError as error:
            raise _invalid(f"the file {path} cannot be read: {error.strerror}") from error
        self._key = create_signing_key(self._content, passphrase)
        self._checked_at = time.monotonic()

    def current(self) -> SigningKey:
        """Return the key that the file holds now."""
        with self._lock:
            now = time.monotonic()
            if now - self._checked_at >= _FILE_CHECK_SECONDS:
                self._checked_at = now
                self._reload()
            return self._key

    def _reload(self) -> None:
        try:
            content = self._path.read_bytes()
            if content != self._content:
                self._key = create_signing_key(content, self._passphrase)
                self._content = content
        except (OSError, SigningError) as error:
            # The file may be half written: the next check reads it again.
            _log.warning("Still signing with the previous key, the key file is unusable: %s", error)


def _load_der(der: bytes, password: bytes | None) -> object:
    try:
        return serialization.load_der_private_key(der, password)
    except TypeError:
        if password is None:
            raise
        return serialization.load_der_private_key(der, None)


def _sign_function(key: rsa.RSAPrivateKey) -> SignFunction:
    def sign(data: bytes) -> bytes:
        return key.sign(data, padding.PKCS1v15(), hashes.SHA256())

    return sign


def _checked(key: rsa.RSAPrivateKey) -> rsa.RSAPrivateKey:
    if not MODULUS_BITS_MIN <= key.key_size <= MODULUS_BITS_MAX:
        raise _invalid(
            f"the key has {key.key_size} bits; "
            f"{MODULUS_BITS_MIN} to {MODULUS_BITS_MAX} are allowed. {_MAKE_ONE}"
        )
    if key.public_key().public_numbers().e != EXPONENT:
        raise _invalid(f"the key's public exponent is not {EXPONENT}. {_MAKE_ONE}")
    return key


def _der(data: bytes) -> bytes:
    text = re.sub(rb"-----(?:BEGIN|END) [A-Z0-9 ]+-----", b"", data)
    try:
        return base64.b64decode(re.sub(rb"[ \t\r\n]", b"", text), validate=True)
    except binascii.Error:
        is_pem = b"-----BEGIN" in data
        problem = "key is damaged or incomplete" if is_pem else "text is neither PEM nor Base64"
        raise _invalid(f"the {problem}. Use the whole key file") from None


def _invalid(reason: str) -> SigningError:
    return SigningError("private_key_invalid", f"The private key cannot be used: {reason}.")
