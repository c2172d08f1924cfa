#!/usr/bin/env bash
# Signs and sends the requests that standard input lists, one JSON object per line: see live.rb.
set -euo pipefail
exec ruby -W:no-deprecated "$(dirname "${BASH_SOURCE[0]}")/live.rb"
