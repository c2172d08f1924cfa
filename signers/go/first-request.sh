#!/bin/sh
# Runs main.go in the folder $1 with this package, as docs/signing/go.md says.
set -eu
package=$(cd "$(dirname "$0")" && pwd)
cd "$1"
# The flags are those of ./test.sh, so that the standard library is not compiled once more.
GOFLAGS=$(cat "$package/build/flags" 2> /dev/null || true)
export GOFLAGS GOWORK=off GOPROXY=off GOTOOLCHAIN=local
go mod init first 2> /dev/null
go mod edit -require=countersign.dev/signer@v0.1.0 -replace="countersign.dev/signer=$package"
exec go run .
