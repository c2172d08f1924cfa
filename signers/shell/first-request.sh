#!/bin/sh
# Runs first.sh in the folder $1 with countersign.sh, as docs/signing/shell.md says.
set -eu
cp "$(dirname "$0")/countersign.sh" "$1"
cd "$1"
exec sh first.sh
