#!/bin/sh
# Sends the requests on standard input through each HTTP client, and prints the answers: see signers/README.md.
#
#   CLIENT_ID=client_… PRIVATE_KEY_FILE=private.pem [WORKERS=4] ./live.sh < requests.jsonl
set -eu
cd "$(dirname "$0")"
# The key's name is relative to where the script was called.
case $PRIVATE_KEY_FILE in /*) ;; *) PRIVATE_KEY_FILE=$OLDPWD/$PRIVATE_KEY_FILE ;; esac
export PRIVATE_KEY_FILE

# Compiles after a change, and writes the class path of the tests, with the versions that the tests use. ./test.sh does too.
if [ ! -e target/class-path ] || [ -n "$(find pom.xml src -newer target/class-path)" ]; then
  mark=.maven/live-for-$(cksum < pom.xml | tr ' ' '-')
  offline=
  [ ! -e "$mark" ] || offline=--offline
  mkdir -p .maven
  mvn --batch-mode --no-transfer-progress $offline -Dmaven.repo.local=.maven/repository test-compile \
    dependency:build-classpath -Dmdep.outputFile=target/class-path -Dmdep.includeScope=test -Dmdep.regenerateFile > .maven/live.log 2>&1 < /dev/null || {
    cat .maven/live.log >&2
    exit 1
  }
  : > "$mark"
fi
exec java -cp "target/classes:target/test-classes:$(cat target/class-path)" dev.countersign.signer.live.LiveClient
