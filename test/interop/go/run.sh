#!/usr/bin/env bash
# Builds and runs main.go. Exit code 2 means that it cannot be built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
GOWORK=off GOFLAGS='-buildvcs=false -mod=readonly' go build -o dist/interop . >&2 || exit 2
exec dist/interop
