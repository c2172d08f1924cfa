#!/bin/sh
# Runs the linter and the tests. Exit code 2 means that a file cannot be parsed. With TESTS_ONLY=1, phpcs doesn't run.
# Needs PHP 8.1 or newer and either `composer install` or these Debian packages, whose autoloaders the tests use: php-cli
# php-curl php-mbstring php-xml phpunit php-codesniffer php-guzzlehttp-guzzle php-nyholm-psr7 php-psr-log
# php-symfony-http-client
set -eu
cd "$(dirname "$0")"

if [ -d vendor ]; then
  PATH=$PWD/vendor/bin:$PATH
fi
for program in php phpunit phpcs openssl; do
  if ! command -v "$program" > /dev/null; then
    printf 'signers/php: %s is not installed. The head of test.sh lists what is needed.\n' "$program" >&2
    exit 1
  fi
done

output=$(mktemp)
trap 'rm -f "$output"' EXIT
for folder in src tests bin examples; do
  find "$folder" -name '*.php' -exec sh -c 'for file; do php -l "$file" > /dev/null || exit 1; done' sh {} + || exit 2
done
[ -n "${TESTS_ONLY:-}" ] || phpcs -q > "$output" || { cat "$output"; exit 1; }
phpunit > "$output" 2>&1 || { cat "$output"; exit 1; }
sed -n 's/^OK (\([0-9]*\) tests\{0,1\}, .*/\1 tests passed/p' "$output" | grep . || { cat "$output"; exit 1; }
