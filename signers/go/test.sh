#!/bin/bash
# Builds the package and runs its linters and tests, under the race detector where there is a C compiler.
# Exit code 2 means that the package cannot be built. With TESTS_ONLY=1, the linters don't run, and a test
# that hangs fails after two minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
mkdir -p build
# Neither a workspace nor flags of the machine change what is tested. The linters and live.sh use what is compiled for the race
# detector: the standard library takes half a minute each time.
export GOWORK=off GOFLAGS=-buildvcs=false
if [ "$(go env CGO_ENABLED)" = 1 ] && command -v "$(go env CC)" > /dev/null; then GOFLAGS="$GOFLAGS -race"; fi
printf '%s\n' "$GOFLAGS" > build/flags

staticcheck=build/staticcheck
staticcheck_version=v0.8.2
log=$(mktemp)
trap 'rm -f "$log"' EXIT

if [ -z "${TESTS_ONLY:-}" ]; then
  unformatted=$(gofmt -l .)
  [ -z "$unformatted" ] || { printf 'Run gofmt -w on:\n%s\n' "$unformatted"; exit 1; }
  go vet ./...

  if [ ! -x "$staticcheck" ] && ! GOFLAGS=-buildvcs=false GOBIN=$PWD/build go install "honnef.co/go/tools/cmd/staticcheck@$staticcheck_version" 2> "$log"; then
    echo "staticcheck $staticcheck_version could not be installed and was not run." >&2
    if [ "${CI:-}" = true ]; then cat "$log" >&2; exit 1; fi
  fi
  [ ! -x "$staticcheck" ] || "$staticcheck" ./...
fi

if ! go test ${TESTS_ONLY:+-timeout=120s} -vet=off -count=1 -json ./... > "$log"; then
  if grep -q '"Action":"build-fail"' "$log"; then grep -o '"Output":".*' "$log" >&2; exit 2; fi
  grep -o '"Output":".*' "$log" | grep -v '=== RUN\|--- PASS\|PASS\\n' | sed 's/^"Output":"//; s/\\n"}$//' >&2
  exit 1
fi
! grep '"Action":"skip","Package":"[^"]*","Test"' "$log" >&2 || { echo 'Tests were skipped.' >&2; exit 1; }
echo "go: $(grep -c '"Action":"pass","Package":"[^"]*","Test"' "$log") tests passed"
