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
build_tests() {
  # Tests see what is internal, so they are compiled together with the source. Mono has no Microsoft.Extensions, only stand-ins.
  build -out:build/tests.exe src/*.cs src/Testing/*.cs httpclientfactory/*.cs tests/StandIns/*.cs tests/*.cs
}
build_packages() {
  # The documentation files make missing comments of public members warnings.
  build -target:library -doc:build/Countersign.Signer.xml -out:build/Countersign.Signer.dll src/*.cs src/Testing/*.cs &&
    build -target:library -out:build/StandIns.dll tests/StandIns/*.cs &&
    build -target:library -r:build/Countersign.Signer.dll -r:build/StandIns.dll \
      -doc:build/Countersign.Signer.HttpClientFactory.xml -out:build/Countersign.Signer.HttpClientFactory.dll httpclientfactory/*.cs
}
build_programs() {
  build -r:build/Countersign.Signer.dll -out:build/FirstRequest.exe examples/FirstRequest.cs &&
    build -out:build/live.exe src/*.cs src/Testing/*.cs live/*.cs
}
{
  build_tests && { [ -n "${TESTS_ONLY:-}" ] || { build_packages && build_programs; }; }
} > build/compiler.log 2>&1 || {
  cat build/compiler.log
  exit 2
}
exec mono build/tests.exe $fail_fast
