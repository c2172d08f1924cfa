#!/bin/bash
# Builds the crate and runs rustfmt, Clippy and the tests, with all features and with the core alone.
# Exit code 2 means that the crate cannot be built. With TESTS_ONLY=1, rustfmt and Clippy don't run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
unset CARGO_TARGET_DIR RUSTFLAGS

# Clippy's compiler compiles too: what it has linted is not compiled again for the tests, nor for live.sh.
mkdir -p target
if [ -z "${TESTS_ONLY:-}" ]; then
  echo 'export RUSTC_WORKSPACE_WRAPPER=clippy-driver CARGO_INCREMENTAL=0' > target/compiler
else
  # One mistake after another: only what changed.
  echo 'unset RUSTC_WORKSPACE_WRAPPER CARGO_INCREMENTAL' > target/compiler
fi
. target/compiler

log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() { "$@" >> "$log" 2>&1 || { cat "$log" >&2; exit 1; }; }

# Unlike cargo clippy, it compiles the dependencies as the tests need them, so that it is done once.
lint() {
  run cargo build --locked --quiet "$@"
  ! grep '^warning' "$log" > /dev/null || { cat "$log" >&2; exit 1; }
}

if [ -z "${TESTS_ONLY:-}" ]; then
  run cargo fmt --check
  lint --all-targets --all-features
  lint --lib
fi
cargo test --locked --all-features --no-run > "$log" 2>&1 || { cat "$log" >&2; exit 2; }
: > "$log"
run cargo test --locked --all-features
run cargo test --locked --features testing --test requests
passed=$(sed -n 's/^test result: ok\. \([0-9]*\) passed; 0 failed; 0 ignored.*/\1/p' "$log" | awk "{ sum += \$1 } END { print sum }")
echo "rust: $passed tests passed"
