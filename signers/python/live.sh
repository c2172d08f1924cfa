#!/usr/bin/env bash
# Signs and sends the requests that standard input lists, one JSON object per line: see live.py.
set -euo pipefail
here=$(pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"
package=$(pwd)
. ./install-for-tests.sh >&2
# PRIVATE_KEY_FILE may be relative.
cd "$here"
PYTHONPATH=$package/src exec "$package/$python" "$package/live.py"
