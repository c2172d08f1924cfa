#!/bin/sh
# Sends requests with countersign.sh: one JSON object per line on standard input, one per line on standard output.
#
#   CLIENT_ID=client_… PRIVATE_KEY_FILE=private.pem [WORKERS=4] ./live.sh < requests.jsonl
#
# A request: {"id":1,"client":"curl-dash","method":"POST","url":"http://…","headers":[["Content-Type","…"]],"body":"<base64>"}
# An answer: {"id":1,"status":200,"code":null,"body":"<base64>"}, or {"id":1,"error":"request_invalid","message":"…"}
# The first line of output lists the clients: curl, called by the script in each shell of this machine.
set -eu
exec python3 "$(dirname "$0")/tests/live.py"
