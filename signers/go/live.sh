#!/bin/sh
# Sends the requests on standard input; signers/README.md says how.
set -eu
cd "$(dirname "$0")"
mkdir -p build
# As ./test.sh has compiled everything else.
[ ! -e build/flags ] || export GOFLAGS="$(cat build/flags)"
go build -o build/live ./internal/live
exec build/live
