"""Runs countersign.sh for each request of standard input: see live.sh."""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "countersign.sh"
SHELLS = {f"curl-{shell}": shell for shell in ("dash", "bash") if shutil.which(shell)}
output = threading.Lock()


def write(answer):
    with output:
        print(json.dumps(answer), flush=True)


def send(line):
    request = json.loads(line)
    arguments = []
    for name, value in request.get("headers") or []:
        arguments += ["-H", f"{name}: {value}"]
    arguments += [request["method"], request["url"]]
    body = base64.b64decode(request.get("body") or "")
    if request.get("body") is not None:
        arguments.append("-")
    limit = ["timeout", str(request["timeoutMs"] / 1000)] if "timeoutMs" in request else []
    command = [*limit, SHELLS[request["client"]], str(SCRIPT), *arguments]
    done = subprocess.run(command, input=body, capture_output=True)
    write({"id": request["id"], **answer_of(done)})


def answer_of(done):
    errors = done.stderr.decode(errors="replace")
    if done.returncode == 124:
        return {"error": "timeout", "message": "timeout ended the script"}
    stopped = re.match(r"countersign\.sh: ([a-z_]+): (.*)", errors)
    if done.returncode == 2 and stopped:
        return {"error": stopped[1], "message": stopped[2]}
    answered = re.search(r"^HTTP status (\d+)\n(?:([a-z_]+): )?", errors, re.MULTILINE)
    if not answered:
        return {"error": "curl", "message": errors}
    body = base64.b64encode(done.stdout).decode()
    return {"status": int(answered[1]), "code": answered[2], "body": body}


if __name__ == "__main__":
    # Standard input, where a body comes from, says no length.
    write({"clients": list(SHELLS), "knows": ["isStream", "timeoutMs"]})
    with ThreadPoolExecutor(int(os.environ.get("WORKERS") or 4)) as pool:
        for finished in [pool.submit(send, line) for line in sys.stdin]:
            finished.result()
