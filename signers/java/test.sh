#!/bin/sh
# Builds the package, with all warnings of javac as errors, and runs its tests. Exit code 0 means that all passed.
# Exit code 2 means that the package cannot be built. With TESTS_ONLY=1, warnings are no errors,
# and the first failure ends the run.
# Plugins and dependencies go into .maven, and later runs use what is there. Also writes the class path for live.sh. Needs
# Java 11 or newer and Maven; Java 17 or newer also tests what is for Spring.
set -eu
cd "$(dirname "$0")"

# Once everything was downloaded for this pom.xml and these goals, Maven needs no network.
mark=.maven/complete-for-$(cat pom.xml test.sh | cksum | tr ' ' '-')
offline=
[ ! -e "$mark" ] || offline=--offline
lenient=
[ -z "${TESTS_ONLY:-}" ] || lenient='-Dmaven.compiler.failOnWarning=false -Dsurefire.skipAfterFailureCount=1'

mkdir -p .maven target
if ! mvn --batch-mode --no-transfer-progress $offline $lenient -Dmaven.repo.local=.maven/repository package \
  dependency:build-classpath -Dmdep.outputFile=target/class-path -Dmdep.includeScope=test -Dmdep.regenerateFile > .maven/test.log 2>&1; then
  cat .maven/test.log
  ! grep -q 'COMPILATION ERROR' .maven/test.log || exit 2
  exit 1
fi
: > "$mark"
sed -n 's/^\[[A-Z]*\] Tests run: \([0-9]*\), Failures: 0, Errors: 0, Skipped: \([0-9]*\)$/\1 tests ran, \2 skipped/p' \
  .maven/test.log | tail -n 1
