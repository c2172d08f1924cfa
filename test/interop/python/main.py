"""Signs and verifies with http-message-signatures, and webhooks with standardwebhooks: reads one task in JSON from each line, writes one result to each line."""

import base64
import datetime
import json
import sys
from types import SimpleNamespace

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from http_message_signatures import (
    HTTPMessageSigner,
    HTTPMessageVerifier,
    algorithms,
)
from http_message_signatures.resolvers import MappingKeyResolver
from standardwebhooks import Webhook


class PS256(algorithms.RSA_PSS_SHA512):
    """RSASSA-PSS with SHA-256 and a salt of 32 bytes, as the library's documentation adds algorithms."""

    algorithm_id = "PS256"

    def __init__(self, public_key=None, private_key=None, password=None):
        super().__init__(public_key=public_key, private_key=private_key, password=password)
        self.padding = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)
        self.hash_algorithm = hashes.SHA256()


ALGORITHMS = {
    algorithm.algorithm_id: algorithm
    for algorithm in (
        algorithms.RSA_V1_5_SHA256,
        algorithms.RSA_PSS_SHA512,
        algorithms.ECDSA_P256_SHA256,
        algorithms.ECDSA_P384_SHA384,
        algorithms.ED25519,
        algorithms.HMAC_SHA256,
        PS256,
    )
}


def message_of(task):
    request = SimpleNamespace(
        method=task["request"]["method"], url=task["request"]["url"], headers=dict(task["request"]["headers"])
    )
    response = task.get("response")
    if response is None:
        return request
    return SimpleNamespace(
        status_code=response["status"], headers=dict(response["headers"]), request=request, url=request.url
    )


def key_of(task):
    key = task["key"]
    return base64.b64decode(key) if task["algorithm"] == "hmac-sha256" else key.encode()


def text_of(component):
    text = f'"{component["name"]}"'
    if component.get("req"):
        text += ";req"
    if component.get("key"):
        text += f';key="{component["key"]}"'
    return text


def covers_body(task):
    return any(component["name"] == "content-digest" and not component.get("req") for component in task["components"])


def body_of(task):
    return (task.get("response") or task["request"])["body"].encode()


def time_of(task, name):
    seconds = task["times"].get(name)
    return None if seconds is None else datetime.datetime.fromtimestamp(seconds, tz=datetime.timezone.utc)


def sign(task):
    texts = task["texts"]
    keyid = texts["keyid"]
    signer = HTTPMessageSigner(
        signature_algorithm=ALGORITHMS[task["algorithm"]],
        key_resolver=MappingKeyResolver(public_keys={}, private_keys={keyid: key_of(task)}),
    )
    message = message_of(task)
    signer.sign(
        message,
        key_id=keyid,
        created=time_of(task, "created"),
        expires=time_of(task, "expires"),
        nonce=texts.get("nonce"),
        tag=texts.get("tag"),
        label=task["label"],
        include_alg="alg" in texts,
        covered_component_ids=[text_of(component) for component in task["components"]],
        use_existing_digest=covers_body(task),
    )
    return {"lines": [[name, message.headers[name]] for name in ("Signature-Input", "Signature")]}


def verify(task):
    texts = task["texts"]
    verifier = HTTPMessageVerifier(
        signature_algorithm=ALGORITHMS[task["algorithm"]],
        key_resolver=MappingKeyResolver(public_keys={texts["keyid"]: key_of(task)}, private_keys={}),
    )
    has_created = "created" in task["times"]
    verifier.require_created = has_created
    verifier.verify(
        message_of(task),
        max_age=datetime.timedelta(hours=1) if has_created else None,
        expect_tag=texts.get("tag"),
        require_components=[text_of(component) for component in task["components"]],
        body=body_of(task) if covers_body(task) else None,
    )
    return {"verified": True}


def verify_webhook(task):
    Webhook(task["secret"]).verify(task["body"], dict(task["headers"]))
    return {"verified": True}


OPERATIONS = {"sign": sign, "verify": verify, "webhook": verify_webhook}

for line in sys.stdin:
    task = json.loads(line)
    try:
        result = OPERATIONS[task["operation"]](task)
    except Exception as error:
        result = {"problem": f"{type(error).__name__}: {error}"}
    print(json.dumps(result), flush=True)
