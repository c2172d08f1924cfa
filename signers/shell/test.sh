#!/bin/sh
# Runs the linter and the tests, under dash and bash. Needs curl, OpenSSL 3, shellcheck and Python 3.9 or newer.
# With TESTS_ONLY=1, the linter doesn't run.
set -eu
cd "$(dirname "$0")"

for program in curl openssl shellcheck python3; do
  if ! command -v "$program" > /dev/null; then
    printf 'signers/shell: %s is not installed.\n' "$program" >&2
    exit 1
  fi
done

output=$(mktemp)
trap 'rm -f "$output"' EXIT
[ -n "${TESTS_ONLY:-}" ] || shellcheck countersign.sh live.sh test.sh first-request.sh examples/first.sh
PYTHONDONTWRITEBYTECODE=1 python3 -m unittest tests/test_countersign.py > "$output" 2>&1 || { cat "$output"; exit 1; }
sed -n 's/^Ran \([0-9]*\) tests.*/\1 tests passed/p' "$output" | grep . || { cat "$output"; exit 1; }
