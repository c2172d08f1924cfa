#!/bin/sh
# Sends the requests on standard input; signers/README.md says how.
set -eu
cd "$(dirname "$0")"
unset CARGO_TARGET_DIR
# As ./test.sh has compiled it.
[ ! -e target/compiler ] || . target/compiler
cargo build --locked --quiet --example live --all-features >&2
exec target/debug/examples/live
