"""Signs and verifies with adcp, profile 3.2: reads one task in JSON from each line, writes one result to each line."""

import base64
import json
import sys
import time

from adcp.signing.constants import ADCP_USE_REQUEST
from adcp.signing.crypto import load_private_key_pem
from adcp.signing.jwks import StaticJwksResolver
from adcp.signing.signer import sign_request
from adcp.signing.verifier import VerifierCapability, VerifyOptions, verify_request_signature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key


def sign(task):
    request, texts, times = task["request"], task["texts"], task["times"]
    signed = sign_request(
        method=request["method"],
        url=request["url"],
        headers=dict(request["headers"]),
        body=request["body"].encode(),
        private_key=load_private_key_pem(task["key"].encode()),
        key_id=texts["keyid"],
        alg=task["algorithm"],
        created=times["created"],
        expires_in_seconds=times["expires"] - times["created"],
        label=task["label"],
        signing_profile_version="3.2",
    )
    # The digest is there already, and is the same.
    return {"lines": [line for line in signed.as_dict().items() if line[0] != "Content-Digest"]}


def verify(task):
    request = task["request"]
    options = VerifyOptions(
        now=time.time(),
        capability=VerifierCapability(covers_content_digest="required", required_for=frozenset({"operation"})),
        operation="operation",
        jwks_resolver=StaticJwksResolver({"keys": [jwk_of(task)]}),
        label=task["label"],
        signing_profile_version="3.2",
    )
    verify_request_signature(
        method=request["method"],
        url=request["url"],
        headers=dict(request["headers"]),
        body=request["body"].encode(),
        options=options,
    )
    return {"verified": True}


def jwk_of(task):
    key = load_pem_public_key(task["key"].encode())
    facts = {"kid": task["texts"]["keyid"], "use": "sig", "key_ops": ["verify"], "adcp_use": ADCP_USE_REQUEST}
    if isinstance(key, Ed25519PublicKey):
        x = key.public_bytes(Encoding.Raw, PublicFormat.Raw)
        return {**facts, "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "x": base64url(x)}
    point = key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    coordinates = {"x": base64url(point[1:33]), "y": base64url(point[33:])}
    return {**facts, "kty": "EC", "crv": "P-256", "alg": "ES256", **coordinates}


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


for line in sys.stdin:
    task = json.loads(line)
    try:
        result = sign(task) if task["operation"] == "sign" else verify(task)
    except Exception as error:
        result = {"problem": f"{type(error).__name__}: {error}"}
    print(json.dumps(result), flush=True)
