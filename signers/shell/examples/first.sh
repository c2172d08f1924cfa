#!/bin/sh
# Sends a signed request and prints the response.
set -eu

BASE_URL=${COUNTERSIGN_BASE_URL:-'http://127.0.0.1:8421'}
export COUNTERSIGN_CLIENT_ID='client_…' COUNTERSIGN_PRIVATE_KEY_FILE='private.pem'

printf '{"hello":"from a shell"}' | ./countersign.sh POST "$BASE_URL/v1/signature-test" -
