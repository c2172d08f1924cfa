#!/usr/bin/env bash
# Lints, type-checks and tests the package in a virtual environment of its own. Quiet unless something fails.
#
#   ./test.sh                    with python3
#   TESTS_ONLY=1 ./test.sh       without linters and types
#   PYTHON=python3.9 ./test.sh   with another interpreter; below 3.11: the lowest supported HTTP clients, no linters
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

. ./install-for-tests.sh

if [ "$lock" = requirements-test.txt ] && [ -z "${TESTS_ONLY:-}" ]; then
  "$python" -m ruff check --quiet --no-cache .
  "$python" -m ruff format --quiet --no-cache --check .
  MYPYPATH=src "$python" -m mypy --no-error-summary --cache-dir "$environment/mypy"
fi

# The package can be built, and brings its types and its license.
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$environment/wheel" .
"$python" -m zipfile --list "$environment"/wheel/*.whl | grep 'countersign/py.typed' > /dev/null
"$python" -m zipfile --list "$environment"/wheel/*.whl | grep 'dist-info/licenses/LICENSE' > /dev/null

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! PYTHONPATH=src "$python" -m pytest --no-header "$@" > "$log" 2>&1; then
  cat "$log"
  exit 1
fi
echo "Python $version: $(tail -n 1 "$log")"
