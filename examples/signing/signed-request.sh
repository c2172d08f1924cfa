#!/bin/sh
# Needs openssl and curl.
set -eu
export LC_ALL=C
umask 077

BASE_URL=${COUNTERSIGN_BASE_URL:-'http://127.0.0.1:8421'}
CLIENT_ID='client_…'
PRIVATE_KEY='private.pem'

# send METHOD URL [BODY_FILE]
send() {
  method=$1 url=$2 body=${3:-}
  scratch=$(mktemp -d)

  # One reading of the clock for both.
  now=$(date -u '+%s %a, %d %b %Y %H:%M:%S GMT')
  created=${now%% *} date=${now#* }

  components='("@method" "@target-uri" "date")'
  if [ -n "$body" ]; then
    components='("@method" "@target-uri" "content-digest" "date")'
    digest="sha-256=:$(openssl dgst -sha256 -binary < "$body" | openssl base64 -A):"
  fi
  params="$components;created=$created;keyid=\"$CLIENT_ID\";alg=\"rsa-v1_5-sha256\""

  # The signature base: a line feed between the lines, and none at the end.
  {
    printf '"@method": %s\n' "$method"
    printf '"@target-uri": %s\n' "$url"
    if [ -n "$body" ]; then printf '"content-digest": %s\n' "$digest"; fi
    printf '"date": %s\n' "$date"
    printf '"@signature-params": %s' "$params"
  } > "$scratch/base"
  openssl dgst -sha256 -sign "$PRIVATE_KEY" -out "$scratch/signature" "$scratch/base"
  signature=$(openssl base64 -A -in "$scratch/signature")
  rm -r "$scratch"

  set -- --request "$method" \
    --header "Date: $date" \
    --header "Signature-Input: sig=$params" \
    --header "Signature: sig=:$signature:"
  if [ -n "$body" ]; then
    set -- "$@" --header 'Content-Type: application/json' \
      --header "Content-Digest: $digest" --data-binary "@$body"
  fi
  # curl sends the URL as it was signed, and changes nothing in it.
  curl --silent --show-error --path-as-is --globoff "$@" --write-out '\nstatus %{http_code}\n' "$url"
}

send GET "$BASE_URL/v1/signature-test"

printf '{"hello":"from a shell"}' > body.json
send POST "$BASE_URL/v1/signature-test" body.json
