#!/usr/bin/env bash
# Runs main.py in a virtual environment of its own. Exit code 2 means that it cannot be installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# A second run installs nothing: the copy of the list is made last.
if ! cmp -s requirements.txt .venv/installed; then
  { rm -rf .venv && python3 -m venv .venv && .venv/bin/python -m pip install --quiet --no-compile --disable-pip-version-check --requirement requirements.txt && cp requirements.txt .venv/installed; } >&2 || exit 2
fi
exec .venv/bin/python -B main.py
