#!/bin/sh
# Sends the requests on standard input through HttpClient on Mono, and prints the answers: see signers/README.md.
#
#   CLIENT_ID=client_… PRIVATE_KEY_FILE=private.pem [WORKERS=4] ./live.sh < requests.jsonl
set -eu
cd "$(dirname "$0")"
# The key's name is relative to where the script was called.
case $PRIVATE_KEY_FILE in /*) ;; *) PRIVATE_KEY_FILE=$OLDPWD/$PRIVATE_KEY_FILE ;; esac
export PRIVATE_KEY_FILE
# ./test.sh compiles it too.
if [ ! -e build/live.exe ] || [ -n "$(find src live -newer build/live.exe)" ]; then
  mkdir -p build
  mcs -langversion:7.2 -r:System.Net.Http.dll -out:build/live.exe src/*.cs src/Testing/*.cs live/*.cs >&2
fi
exec mono build/live.exe
