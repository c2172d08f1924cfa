#!/bin/sh
# Runs first.php in the folder $1 with this package, as docs/signing/php.md says, but without Composer.
set -eu
package=$(cd "$(dirname "$0")" && pwd)
cd "$1"
mkdir -p vendor
printf '<?php require getenv("PACKAGE") . "/tests/bootstrap.php";\n' > vendor/autoload.php
# Debian's Guzzle uses what later versions of PHP deprecate.
PACKAGE=$package exec php -d error_reporting=24575 first.php
