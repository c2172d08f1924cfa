#!/bin/sh
# Runs first_request.rb in the folder $1 with this package, as docs/signing/ruby.md says.
set -eu
package=$(cd "$(dirname "$0")" && pwd)
cd "$1"
exec ruby -W:no-deprecated -I "$package/lib" first_request.rb
