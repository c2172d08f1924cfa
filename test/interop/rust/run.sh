#!/usr/bin/env bash
# Builds and runs the crate. Exit code 2 means that it cannot be built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
unset CARGO_TARGET_DIR RUSTFLAGS
cargo build --locked --quiet --target-dir dist >&2 || exit 2
exec dist/debug/interop
