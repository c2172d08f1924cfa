"""Runs the check of the page on each line of a file: method, target, body, now, headers, all but `now` in Base64."""
import base64
import sys
from forwarded_check import ForwardedCheck, Refused

directory_url, audience, file = sys.argv[1:]
check = ForwardedCheck(directory_url, audience.split(","))
for line in open(file, encoding="ascii"):
    method, target, body, now, *lines = line.rstrip("\n").split("\t")
    method, target, body, *texts = [base64.b64decode(text) for text in (method, target, body, *lines)]
    texts = [text.decode("latin-1") for text in texts]
    try:
        found = check.check(
            method.decode("latin-1"), target.decode("latin-1"), list(zip(texts[::2], texts[1::2])), body, int(now)
        )
        print("accepted", found["client_id"], ",".join(found["roles"]), found["target_uri"], found["profile"], found["covered"])
    except Refused as refused:
        print("refused", refused)
