#!/bin/sh
# Sends a signed request with nothing but a POSIX shell, openssl and curl.
#
#   CLIENT_ID=client_… PRIVATE_KEY=private.pem ./openssl.sh METHOD URL [BODY_FILE]
#
#   CLIENT_ID=client_… PRIVATE_KEY=private.pem ./openssl.sh GET https://api.example.com/v1/whoami
#   CLIENT_ID=client_… PRIVATE_KEY=private.pem ./openssl.sh POST https://api.example.com/v1/payments payment.json
#
# CLIENT_ID    the clientId that the service assigned when the public key was registered
# PRIVATE_KEY  the file of the private key (make one: openssl genrsa -out private.pem 3072)
# CONTENT_TYPE the type of the body; application/json unless it is set
#
# The body of the answer goes to standard output, its status to standard error. The script ends with 0 when the status
# is below 400, with 1 when it is 400 or above, with 2 when it was called wrongly, and as curl does when there is no answer.

set -eu
# Ranges of characters, and the names of days and months, mean the same everywhere only in this locale.
export LC_ALL=C

stop() {
  printf 'openssl.sh: %s\n' "$1" >&2
  exit 2
}

[ $# -eq 2 ] || [ $# -eq 3 ] || stop 'call it with METHOD URL [BODY_FILE]'
client_id=${CLIENT_ID:-}
private_key=${PRIVATE_KEY:-}
[ -n "$client_id" ] || stop 'set CLIENT_ID to your clientId'
[ -n "$private_key" ] || stop 'set PRIVATE_KEY to the file of your private key'
[ -r "$private_key" ] || stop "the private key $private_key cannot be read"

# The method is signed, and sent, in upper case.
method=$(printf '%s' "$1" | tr '[:lower:]' '[:upper:]')
url=$2
body_file=${3:-}

# These texts become part of what is signed. A line end or a quotation mark in them would change its meaning, and what
# curl would rewrite (spaces, for example) would no longer be what was signed: such texts are refused here.
case $method in '' | *[!A-Z-]*) stop 'the method must be a word, like GET or POST' ;; esac
case $client_id in *[!!-~]* | *[\"\\]*) stop 'CLIENT_ID has characters that no clientId has' ;; esac
case $url in *[!!-~]*) stop 'the URL has spaces or characters that must be percent-encoded' ;; esac
case $url in *'#'*) stop 'leave out the fragment, the part of the URL from # on: it is never sent' ;; esac
case $url in http://?* | https://?*) ;; *) stop 'the URL must begin with https:// or http://' ;; esac

# The URL is signed exactly as it is called: scheme://host[:port]/path?query. Between scheme and path stands the
# authority; it must already be in the form in which it goes over the wire.
scheme=${url%%://*}
rest=${url#*://}
authority=${rest%%[/?]*}
case $authority in
  '' | *@*) stop 'the URL must name a host, and no user or password' ;;
  *[A-Z]*) stop 'write the host in lower case' ;;
esac
case $scheme:$authority in http:*:80 | https:*:443) stop 'leave out the port: it is the usual one of the scheme' ;; esac
# A URL without a path is called with the path "/".
path_and_query=${rest#"$authority"}
case $path_and_query in /*) ;; *) path_and_query=/$path_and_query ;; esac
url=$scheme://$authority$path_and_query

# An empty body is no body: it has no digest.
if [ -n "$body_file" ]; then
  if [ ! -f "$body_file" ] || [ ! -r "$body_file" ]; then stop "the body file $body_file cannot be read"; fi
  [ -s "$body_file" ] || body_file=
fi

# Scratch files, readable by nobody else, removed at the end whatever happens.
umask 077
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Step 1: the digest of the body. openssl reads the bytes of the file as they are; a shell variable could not hold them.
if [ -n "$body_file" ]; then
  digest=$(openssl dgst -sha256 -binary < "$body_file" | openssl base64 -A)
  content_digest="sha-256=:$digest:"
fi

# Step 2: the time, twice: as Unix seconds and as the text of the Date header. One reading of the clock gives both.
now=$(date -u '+%s %a, %d %b %Y %H:%M:%S GMT')
created=${now%% *}
date=${now#* }

# Step 3: which parts of the request are signed, and the parameters of the signature.
if [ -n "$body_file" ]; then
  components='("@method" "@target-uri" "content-digest" "date")'
else
  components='("@method" "@target-uri" "date")'
fi
signature_params="$components;created=$created;keyid=\"$client_id\";alg=\"rsa-v1_5-sha256\""

# Step 4: the signature base, one line for each part, with a line feed between them and none at the end.
{
  printf '"@method": %s\n' "$method"
  printf '"@target-uri": %s\n' "$url"
  if [ -n "$body_file" ]; then printf '"content-digest": %s\n' "$content_digest"; fi
  printf '"date": %s\n' "$date"
  printf '"@signature-params": %s' "$signature_params"
} > "$scratch/base"

# Step 5: the signature. For an RSA key, this is RSASSA-PKCS1-v1_5 with SHA-256.
openssl dgst -sha256 -sign "$private_key" -out "$scratch/signature" "$scratch/base" \
  || stop "openssl could not sign with $private_key"
signature=$(openssl base64 -A -in "$scratch/signature")

# Step 6: send exactly what was signed. --path-as-is and --globoff keep curl from rewriting the URL, --data-binary
# keeps it from changing the body.
set -- --silent --show-error --path-as-is --globoff \
  --header "Date: $date" \
  --header "Signature-Input: sig=$signature_params" \
  --header "Signature: sig=:$signature:"
if [ "$method" = HEAD ]; then
  set -- "$@" --head
else
  set -- "$@" --request "$method"
fi
if [ -n "$body_file" ]; then
  set -- "$@" --header "Content-Digest: $content_digest" \
    --header "Content-Type: ${CONTENT_TYPE:-application/json}" \
    --data-binary "@$body_file"
elif [ "$method" = POST ] || [ "$method" = PUT ] || [ "$method" = PATCH ]; then
  # Says "Content-Length: 0", and nothing of a form.
  set -- "$@" --header 'Content-Type:' --data-binary ''
fi
: > "$scratch/answer"
status=$(curl "$@" --output "$scratch/answer" --write-out '%{http_code}' "$url")

printf 'HTTP status %s\n' "$status" >&2
cat "$scratch/answer"
[ "$status" -lt 400 ] || exit 1
