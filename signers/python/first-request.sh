#!/usr/bin/env bash
# Runs first_request.py in the folder $1 with this package, as docs/signing/python.md says.
set -euo pipefail
folder=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"
package=$(pwd)
. ./install-for-tests.sh >&2
cd "$folder"
PYTHONPATH=$package/src exec "$package/$python" first_request.py
