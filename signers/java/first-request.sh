#!/bin/sh
# Runs FirstRequest.java in the folder $1 with this package, as docs/signing/java.md says. Needs what ./test.sh has built.
set -eu
package=$(cd "$(dirname "$0")" && pwd)
[ -d "$package/target/classes" ] || "$package/test.sh" >&2
cd "$1"
exec java -cp "$package/target/classes" FirstRequest.java
