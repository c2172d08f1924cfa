"""Runs the function of the page on each line of a file: secret, ID, time, signature, body in Base64, now."""
import base64
from webhooks import is_from_service

for line in open("cases", encoding="utf-8"):
    secret, id, timestamp, signature, body, now = line.rstrip("\n").split("|")
    print("accept" if is_from_service(secret, id, timestamp, signature, base64.b64decode(body), int(now)) else "reject")
