#!/usr/bin/env bash
# Runs main.mjs with packages of its own, of 85 MB. Exit code 2 means that they cannot be installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# A second run installs nothing: npm writes this file last.
if [ ! -e node_modules/.package-lock.json ]; then
  npm ci --ignore-scripts --no-fund --no-audit --silent >&2 || exit 2
fi
exec node main.mjs
