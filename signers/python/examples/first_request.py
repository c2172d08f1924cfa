"""Sends a signed request and prints the response."""

import os
import sys

import requests

from countersign import RefusedError, Signer
from countersign.requests import CountersignAuth

BASE_URL = os.environ.get("COUNTERSIGN_BASE_URL", "http://127.0.0.1:8421")
CLIENT_ID = "client_…"
PRIVATE_KEY_FILE = "private.pem"

session = requests.Session()
session.auth = CountersignAuth(Signer(CLIENT_ID, private_key_file=PRIVATE_KEY_FILE))

try:
    response = session.post(f"{BASE_URL}/v1/signature-test", json={"hello": "from Python"})
except RefusedError as refusal:
    sys.exit(str(refusal))  # its code, what is wrong, and what to do
print(response.status_code, response.text)
