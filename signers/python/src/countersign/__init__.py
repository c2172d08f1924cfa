"""Signs HTTP requests for APIs behind Countersign (RFC 9421; RSA, Ed25519 and ECDSA).

``Signer`` signs; ``countersign.requests``, ``countersign.httpx`` and ``countersign.aiohttp`` use it
in those HTTP clients; ``Verifier`` checks requests in the tests of your own program.
"""

from countersign.errors import (
    CountersignError,
    RefusalError,
    RefusedError,
    RepeatNotSignedError,
    SigningError,
    read_refusal,
)
from countersign.signer import SignedRequest, Signer
from countersign.verifier import Verification, Verifier

__all__ = [
    "CountersignError",
    "RefusalError",
    "RefusedError",
    "RepeatNotSignedError",
    "SignedRequest",
    "Signer",
    "SigningError",
    "Verification",
    "Verifier",
    "read_refusal",
]
__version__ = "0.1.0"
