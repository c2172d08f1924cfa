#!/bin/sh
# Sends the requests on standard input; signers/README.md says how.
set -eu
cd "$(dirname "$0")"
unset CARGO_TARGET_DIR
cargo build --locked --quiet --example live --features reqwest >&2
exec target/debug/examples/live
