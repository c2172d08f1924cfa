#!/bin/sh
# Builds the package with Mono's compiler, with all warnings as errors, and runs its tests on Mono.
# Exit code 0 means that all passed, 2 that the package cannot be built. With TESTS_ONLY=1, warnings are no errors, only
# what the tests use is built, and the first failure ends the run.
# Needs Debian's mono-mcs and libmono-system-net-http4.0-cil, and openssl.
set -eu
cd "$(dirname "$0")"
mkdir -p build

strict=-warnaserror
fail_fast=
if [ -n "${TESTS_ONLY:-}" ]; then
  strict=
  fail_fast=--fail-fast
fi
build() {
  mcs -langversion:7.2 -warn:4 $strict -r:System.Net.Http.dll "$@"
}
{
  # The documentation file makes missing comments of public members warnings.
  build -target:library -doc:build/Countersign.Signer.xml -out:build/Countersign.Signer.dll src/*.cs src/Testing/*.cs
  # Tests see what is internal, so they are compiled together with the source.
  build -out:build/tests.exe src/*.cs src/Testing/*.cs tests/*.cs
  [ -n "${TESTS_ONLY:-}" ] || build -r:build/Countersign.Signer.dll -out:build/FirstRequest.exe examples/FirstRequest.cs
  [ -n "${TESTS_ONLY:-}" ] || build -out:build/live.exe src/*.cs src/Testing/*.cs live/*.cs
} > build/compiler.log 2>&1 || {
  cat build/compiler.log
  exit 2
}
exec mono build/tests.exe $fail_fast
