#!/usr/bin/env bash
# Lints and tests the package with the Ruby and the libraries of the machine (on Debian: ruby, ruby-faraday,
# ruby-faraday-middleware, ruby-minitest and, for the linter, rubocop). Quiet unless something fails.
# With TESTS_ONLY=1, the linter doesn't run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if [ -n "${TESTS_ONLY:-}" ]; then
  :
elif command -v rubocop > /dev/null; then
  rubocop --cache false --format quiet --fail-level convention
else
  echo 'rubocop is not installed: the code is not linted.' >&2
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
gem build --quiet --output "$scratch/countersign.gem" countersign.gemspec > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
if ! ruby -W:no-deprecated -Itest -e 'Dir["./test/test_*.rb"].each { |file| require file }' > "$scratch/log" 2>&1; then
  cat "$scratch/log"
  exit 1
fi
echo "$(ruby --version | cut -d ' ' -f 1,2): $(tail -n 1 "$scratch/log")"
