#!/bin/sh
# Builds the package, with all warnings of javac as errors, and runs its tests. Exit code 0 means that all passed.
# Plugins and dependencies go into .maven, and later runs use what is there. Needs Java 11 or newer and Maven.
set -eu
cd "$(dirname "$0")"

# Once everything was downloaded for this pom.xml, Maven needs no network.
mark=.maven/complete-for-$(cksum < pom.xml | tr ' ' '-')
offline=
[ ! -e "$mark" ] || offline=--offline

mkdir -p .maven target
if ! mvn --batch-mode --no-transfer-progress $offline -Dmaven.repo.local=.maven/repository package > .maven/test.log 2>&1; then
  cat .maven/test.log
  exit 1
fi
: > "$mark"
sed -n 's/^\[[A-Z]*\] Tests run: \([0-9]*\), Failures: 0, Errors: 0, Skipped: \([0-9]*\)$/\1 tests ran, \2 skipped/p' \
  .maven/test.log | tail -n 1
