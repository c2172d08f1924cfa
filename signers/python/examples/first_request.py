"""Sends a signed payment: python first_request.py https://api.example.com/v1/payments."""

import os
import sys

import requests

from countersign import RefusalError, Signer
from countersign.requests import CountersignAuth

signer = Signer(os.environ["CLIENT_ID"], private_key_file="private.pem")
session = requests.Session()
session.auth = CountersignAuth(signer)

try:
    response = session.post(
        sys.argv[1], json={"amount": 1250, "currency": "EUR", "reference": "INV-7"}
    )
except RefusalError as refusal:
    sys.exit(str(refusal))  # its code, what is wrong, and what to do
print(response.status_code, response.text)
