#!/bin/sh
# Sends the requests on standard input; signers/README.md says how.
set -eu
cd "$(dirname "$0")"
mkdir -p build
go build -o build/live ./internal/live
exec build/live
