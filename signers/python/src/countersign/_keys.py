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
from typing import TYPE_CHECKING, Callable, Union, cast

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from countersign._algorithms import (
    ALGORITHMS,
    KINDS,
    RSA,
    Algorithm,
    PrivateKeyObject,
    PublicKeyObject,
    algorithm_of,
)
from countersign.errors import SigningError

if TYPE_CHECKING:
    import os

SignFunction = Callable[[bytes], bytes]
NameKey = Callable[[Algorithm, Union[PublicKeyObject, None]], str]
PrivateKey = Union[str, bytes, PrivateKeyObject, SignFunction]

MODULUS_BITS_MIN = 2048
MODULUS_BITS_MAX = 8192
EXPONENT = 65537
_MAKE_ONE = "Create a key: openssl genrsa -out private.pem 3072"
_PSS_OBJECT_IDENTIFIER = bytes.fromhex("06092a864886f70d01010a")
_FILE_CHECK_SECONDS = 0.5
_EC_PARAMETERS = re.compile(rb"-----BEGIN EC PARAMETERS-----[^-]*-----END EC PARAMETERS-----")
_log = logging.getLogger("countersign")


@dataclass(frozen=True)
class SigningKey:
    """What signs bytes, its name in signatures, and the only algorithm that it signs with."""

    keyid: str
    algorithm: Algorithm
    sign: SignFunction


def create_signing_key(
    key: PrivateKey, name: NameKey, passphrase: str | bytes | None, algorithm: str | None = None
) -> SigningKey:
    """Return what signs bytes with a key, whatever form the key has.

    Args:
        key: text, a key object or a function.
        name: returns the ``keyid``; it is not given a public key for a function.
        passphrase: the passphrase of encrypted text.
        algorithm: what a function signs with.

    """
    if callable(key):
        named = RSA if algorithm is None else ALGORITHMS.get(str(algorithm))
        if named is None:
            raise _invalid(f"algorithm must be one of {', '.join(ALGORITHMS)}")
        return SigningKey(name(named, None), named, key)
    if algorithm is not None:
        raise _invalid("algorithm is only for a function that signs; a key has its own")
    if isinstance(key, (str, bytes)):
        key = read_private_key(key, passphrase)
    own = algorithm_of(key)
    if own is None:
        raise _invalid(
            f"private_key must be {KINDS} as PEM or Base64 text, a private key object of these "
            "kinds, or a function"
        )
    if isinstance(key, rsa.RSAPrivateKey):
        _check_rsa(key)
    return SigningKey(name(own, key.public_key()), own, lambda data: own.sign(key, data))


def read_private_key(text: str | bytes, passphrase: str | bytes | None) -> PrivateKeyObject:
    """Read one key: PKCS#8, PKCS#1 or SEC 1, PEM or bare Base64, encrypted or not."""
    data = (text.encode("utf-8") if isinstance(text, str) else text).removeprefix(codecs.BOM_UTF8)
    # openssl ecparam writes this block before the key, which names its curve too.
    data = _EC_PARAMETERS.sub(b"", data)
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
    except (ValueError, UnsupportedAlgorithm) as error:
        # The cause may describe parts of the key.
        raise _unusable(error, _is_encrypted(is_encrypted, der)) from None
    if algorithm_of(key) is None:
        raise _invalid(f"the key is not {KINDS}. {_MAKE_ONE}")
    return cast("PrivateKeyObject", key)


def _is_encrypted(is_labelled: bool, der: bytes) -> bool:
    """Tell an EncryptedPrivateKeyInfo, which begins with an algorithm and not with a version."""
    return is_labelled or re.match(rb"0(?:[\x00-\x7f]|\x81.|\x82..)0", der, re.DOTALL) is not None


def _unusable(error: Exception, is_encrypted: bool) -> SigningError:
    if isinstance(error, UnsupportedAlgorithm) and not is_encrypted:
        return _invalid(f"the key is not {KINDS}. {_MAKE_ONE}")
    problem = "damaged, or the passphrase is wrong" if is_encrypted else "damaged or incomplete"
    return _invalid(f"the key is {problem}. Use the whole key file")


class KeyFile:
    """A private key in a file. It takes a new key from the file without a restart."""

    def __init__(
        self, path: str | os.PathLike[str], name: NameKey, passphrase: str | bytes | None
    ) -> None:
        self._path = Path(path)
        self._name = name
        self._passphrase = passphrase
        self._lock = threading.Lock()
        try:
            self._content = self._path.read_bytes()
        except OSError as error:
            raise _invalid(f"the file {path} cannot be read: {error.strerror}") from error
        self._key = create_signing_key(self._content, name, passphrase)
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
                self._key = create_signing_key(content, self._name, self._passphrase)
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


def _check_rsa(key: rsa.RSAPrivateKey) -> None:
    if not MODULUS_BITS_MIN <= key.key_size <= MODULUS_BITS_MAX:
        raise _invalid(
            f"the key has {key.key_size} bits; "
            f"{MODULUS_BITS_MIN} to {MODULUS_BITS_MAX} are allowed. {_MAKE_ONE}"
        )
    if key.public_key().public_numbers().e != EXPONENT:
        raise _invalid(f"the key's public exponent is not {EXPONENT}. {_MAKE_ONE}")


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
