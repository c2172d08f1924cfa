# Needs Python 3 and the program openssl.
import base64
import hashlib
import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from email.utils import formatdate

BASE_URL = os.environ.get("COUNTERSIGN_BASE_URL", "http://127.0.0.1:8421")
CLIENT_ID = "client_…"
PRIVATE_KEY = "private.pem"


def sign(base):
    # With the package "cryptography" instead:
    #   key = serialization.load_pem_private_key(open(PRIVATE_KEY, "rb").read(), None)
    #   return key.sign(base, padding.PKCS1v15(), hashes.SHA256())
    command = ["openssl", "dgst", "-sha256", "-sign", PRIVATE_KEY]
    return subprocess.run(command, input=base, stdout=subprocess.PIPE, check=True).stdout


def send(method, url, body=None):
    created = int(time.time())
    headers = {"Date": formatdate(created, usegmt=True)}
    lines = [f'"@method": {method}', f'"@target-uri": {url}']
    components = '"@method" "@target-uri"'
    if body is not None:
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        headers["Content-Type"] = "application/json"
        headers["Content-Digest"] = f"sha-256=:{digest}:"
        lines.append(f'"content-digest": {headers["Content-Digest"]}')
        components += ' "content-digest"'
    params = f'({components} "date");created={created};keyid="{CLIENT_ID}";alg="rsa-v1_5-sha256"'
    lines += [f'"date": {headers["Date"]}', f'"@signature-params": {params}']

    # A line feed between the lines, and none at the end.
    signature = base64.b64encode(sign("\n".join(lines).encode("ascii"))).decode()
    headers["Signature-Input"] = f"sig={params}"
    headers["Signature"] = f"sig=:{signature}:"

    request = urllib.request.Request(url, data=body, headers=headers, method=method)
    try:
        answer = urllib.request.urlopen(request)
    except urllib.error.HTTPError as refusal:
        answer = refusal
    print(answer.read().decode())
    print("status", answer.status)


send("GET", f"{BASE_URL}/v1/signature-test")
send("POST", f"{BASE_URL}/v1/signature-test", json.dumps({"hello": "from Python"}).encode())
