#!/bin/sh
# Sends a signed request with nothing but a POSIX shell, openssl and curl. Call it with --help to see how.
#
# The request is signed as docs/profile.md of Countersign requires: RFC 9421 with RSA, Ed25519 or ECDSA. The key decides.
# With --signature-agent, it is signed by Web Bot Auth instead: draft-ietf-webbotauth-httpsig-protocol-01.

set -eu
# Character ranges mean the same everywhere only in this locale.
export LC_ALL=C
# Variables that are named for Countersign win: the others may belong to another program. An agent ignores CLIENT_ID.
client_id=${COUNTERSIGN_CLIENT_ID:-${CLIENT_ID:-}}
signature_agent=${COUNTERSIGN_SIGNATURE_AGENT:-}
if [ -n "${COUNTERSIGN_PRIVATE_KEY:-}${COUNTERSIGN_PRIVATE_KEY_FILE:-}" ]; then
  private_key=${COUNTERSIGN_PRIVATE_KEY:-}
  private_key_file=${COUNTERSIGN_PRIVATE_KEY_FILE:-}
else
  private_key=${PRIVATE_KEY:-}
  private_key_file=${PRIVATE_KEY_FILE:-}
fi
passphrase=${COUNTERSIGN_PASSPHRASE:-${PASSPHRASE:-}}
# Secrets leave the environment at once, so that programs started below do not inherit them.
unset PRIVATE_KEY PASSPHRASE COUNTERSIGN_PRIVATE_KEY COUNTERSIGN_PASSPHRASE

# How far created may run ahead of the clock to keep signatures distinct.
ahead_seconds_max=30
# How often a request waits for the next second, when too many equal ones are ahead.
waits_max=30
# How much the service may correct the clock.
correction_seconds_max=86400
# No service accepts signatures this old.
remember_minutes=7
# The longest URL that services accept.
url_length_max=8492
# The longest URL of a signature agent.
agent_length_max=2048
# How long a signature of Web Bot Auth is valid.
agent_seconds=300

usage() {
  cat << 'END'
Usage: countersign.sh [-H 'Name: value']… [--signature-agent URL] [--dry-run] METHOD URL [BODY_FILE]

Signs a request and sends it with curl. BODY_FILE may be - for standard input. URL may be a path that begins with a slash,
if COUNTERSIGN_BASE_URL is set.

  export COUNTERSIGN_CLIENT_ID=client_… COUNTERSIGN_PRIVATE_KEY_FILE=private.pem
  countersign.sh GET https://api.example.com/v1/whoami
  countersign.sh POST https://api.example.com/v1/payments payment.json

Options:
  -H, --header   another header; may be repeated
  --dry-run      print the signed request and its signature base instead of sending it
  --signature-agent
                 sign by Web Bot Auth, as an agent whose JWK Set is at this URL; without a Client ID
  --help         print this

Environment:
  COUNTERSIGN_CLIENT_ID         the Client ID from the portal; required without --signature-agent
  COUNTERSIGN_PRIVATE_KEY_FILE  a file with the private key: RSA, Ed25519 or ECDSA (P-256 or P-384), as PEM or bare
                                Base64, PKCS#8, PKCS#1 or SEC 1, encrypted or not
  COUNTERSIGN_PRIVATE_KEY       the key itself, instead of a file
  COUNTERSIGN_PASSPHRASE        the passphrase of an encrypted key
  COUNTERSIGN_BASE_URL          the address that paths are added to, such as https://api.example.com
  COUNTERSIGN_SIGNATURE_AGENT   the same as --signature-agent
  PASSPHRASE_FILE   a file with the passphrase instead, in its first line
  CONTENT_TYPE      the type of the body (application/json)
  COVER_DATE        false for a client that is registered to leave out Date (true)
  NONCE             true for services that require a nonce (false)
  BODY_BYTES_MAX    the largest body, in bytes (10485760)
  SHARED_FOLDER     where processes record which seconds they have used; none if only one at a time sends
                    (countersign-UID in the temporary directory)
  COUNTERSIGN_NOW, COUNTERSIGN_DATE   the time as Unix seconds, and the Date header, for tests

CLIENT_ID, PRIVATE_KEY_FILE, PRIVATE_KEY and PASSPHRASE are read, too, where the variable with COUNTERSIGN_ is not set.
An agent ignores CLIENT_ID.

The response's body goes to standard output (after HEAD, its headers). Its status goes to standard error, with code and
advice if the service refused the request. curl's own configuration file is not read, and redirects are not followed.

Exit code: 0 below status 400, 1 from 400 on, 2 if the request cannot be signed, curl's own if there is no response.
END
}

# Ends with one of the codes that all signers share: keyid_invalid, private_key_invalid, request_invalid,
# body_too_large, too_many_equal_requests, signing_failed.
stop() {
  printf 'countersign.sh: %s: %s\n' "$1" "$2" >&2
  exit 2
}

invalid() {
  stop request_invalid "$1"
}

invalid_agent() {
  invalid "the signature agent must be the https URL of a JWK Set: visible ASCII without user, fragment, quotes and \
backslashes; http only for localhost"
}

# Scratch files, readable by nobody else, removed at the end whatever happens.
umask 077
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# --- The arguments ---

: > "$scratch/given-headers"
dry_run=false
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage && exit 0 ;;
    --dry-run) dry_run=true ;;
    --signature-agent)
      # An empty one would select the other profile.
      [ -n "${2:-}" ] || invalid_agent
      signature_agent=$2
      shift
      ;;
    -H | --header)
      [ $# -ge 2 ] || invalid "give $1 a header, like 'Idempotency-Key: 1'"
      case $2 in *[[:cntrl:]]*) invalid 'a header has a control character in it' ;; esac
      case $2 in [!:]*:*) ;; *) invalid "write headers as 'Name: value'" ;; esac
      name=$(printf '%s' "${2%%:*}" | tr '[:upper:]' '[:lower:]')
      case $name in
        *[!a-z0-9_.-]*) invalid "write headers as 'Name: value', without spaces in the name" ;;
        signature | signature-input | content-digest | host | content-length | transfer-encoding)
          invalid "the header ${2%%:*} is set by the signature or by curl: leave it out"
          ;;
        content-type) CONTENT_TYPE=given ;;
      esac
      printf '%s\n' "$2" >> "$scratch/given-headers"
      shift
      ;;
    -?*) invalid "there is no option $1: see --help" ;;
    *) break ;;
  esac
  shift
done
[ $# -eq 2 ] || [ $# -eq 3 ] || invalid 'call it with METHOD URL [BODY_FILE], or --help'

cover_date=${COVER_DATE:-true}
with_nonce=${NONCE:-false}
case $cover_date in true | false) ;; *) invalid 'COVER_DATE must be true or false' ;; esac
case $with_nonce in true | false) ;; *) invalid 'NONCE must be true or false' ;; esac

# Refuses a header that the profile sets.
refuse_header() {
  if grep -q -i "^$1:" "$scratch/given-headers"; then
    invalid "the header $1 is set by the signature or by curl: leave it out"
  fi
}

read_client_id() {
  [ -n "$client_id" ] || stop keyid_invalid \
    'set COUNTERSIGN_CLIENT_ID to the Client ID from the portal, or COUNTERSIGN_SIGNATURE_AGENT to sign as an agent'
  case $client_id in *[!!-~]*) stop keyid_invalid 'the Client ID has spaces or characters that no Client ID has' ;; esac
  [ "${#client_id}" -le 256 ] || stop keyid_invalid 'the Client ID has more than 256 characters'
  # In a quoted string, these two stand behind a backslash (RFC 8941 section 3.3.3).
  keyid=$(printf '%s' "$client_id" | sed 's/["\\]/\\&/g')
}

check_signature_agent() {
  [ -z "${COUNTERSIGN_CLIENT_ID:-}" ] || stop keyid_invalid \
    'an agent has no Client ID, because the keyid is the thumbprint of its key: unset COUNTERSIGN_CLIENT_ID'
  # First, so that what grep sees is one line.
  case $signature_agent in *[!!-~]* | *'"'* | *\\* | *'#'*) invalid_agent ;; esac
  [ "${#signature_agent}" -le "$agent_length_max" ] || invalid_agent
  port='(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?'
  printf '%s\n' "$signature_agent" | grep -q -x -E \
    -e "https://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$port([/?].*)?" \
    -e "http://(localhost|127\.0\.0\.1|\[::1\])$port([/?].*)?" || invalid_agent
}

# The profile is the name of the function that composes what is signed.
if [ -n "$signature_agent" ]; then
  check_signature_agent
  refuse_header Signature-Agent
  profile=web_bot_auth
  other_keys='an ECDSA P-256 key'
  # Always: no two signatures are equal, so no second is taken.
  with_nonce=true
else
  refuse_header Date
  read_client_id
  profile=closed_profile
  other_keys='an RSA or ECDSA key'
fi

# The method is signed, and sent, in upper case.
method=$(printf '%s' "$1" | tr '[:lower:]' '[:upper:]')
case $method in '' | *[!A-Z-]*) invalid 'the method must be a single word, like GET or POST' ;; esac

# The URL is signed exactly as it is sent. What curl would rewrite is rejected here.
url=$2
base_url=${COUNTERSIGN_BASE_URL:-}
case $url in
  /*)
    [ -n "$base_url" ] || invalid 'set COUNTERSIGN_BASE_URL, or call the whole URL: this one is only a path'
    case $base_url in *[?#]*) invalid 'COUNTERSIGN_BASE_URL must have no query and no fragment' ;; esac
    url=${base_url%/}$url
    ;;
esac
case $url in *[!!-~]*) invalid 'percent-encode spaces, control characters and non-ASCII characters in the URL' ;; esac
case $url in *'#'*) invalid 'remove the fragment, the part of the URL from # on: it is never sent' ;; esac
case $url in http://?* | https://?*) ;; *) invalid 'the URL must begin with https:// or http://, in lower case' ;; esac
scheme=${url%%://*}
rest=${url#*://}
authority=${rest%%[/?]*}
case $authority in
  '' | *@* | *\\*) invalid 'the URL must name a host, and no user or password' ;;
  *[A-Z]*) invalid 'write the host in lower case' ;;
  *:) invalid 'remove the colon after the host' ;;
esac
case $scheme:$authority in http:*:80 | https:*:443) invalid 'remove the port: it is the default of the scheme' ;; esac
# A URL without a path is sent with the path "/".
path_and_query=${rest#"$authority"}
case $path_and_query in /*) ;; *) path_and_query=/$path_and_query ;; esac
url=$scheme://$authority$path_and_query
[ "${#url}" -le "$url_length_max" ] \
  || invalid "the URL has more than $url_length_max characters: send long data in the body"

# A copy of the body: what is digested is what is sent, even if someone writes to the file in between.
: > "$scratch/body"
if [ $# -eq 3 ]; then
  if [ "$3" = - ]; then
    cat > "$scratch/body"
  elif [ -d "$3" ] || ! cat -- "$3" > "$scratch/body" 2> /dev/null; then
    invalid "the body file $3 cannot be read"
  fi
fi
body_bytes=$(($(wc -c < "$scratch/body")))
body_bytes_max=${BODY_BYTES_MAX:-10485760}
case $body_bytes_max in '' | *[!0-9]*) invalid 'BODY_BYTES_MAX must be a number' ;; esac
[ "$body_bytes" -le "$body_bytes_max" ] \
  || stop body_too_large "the body has more than $body_bytes_max bytes: send less, or raise BODY_BYTES_MAX"
if [ "$method" = HEAD ] && [ "$body_bytes" -gt 0 ]; then invalid 'curl sends no body with HEAD'; fi

# An empty body is no body: it has no digest. openssl reads the bytes as they are; a shell variable could not hold them.
content_digest=
if [ "$body_bytes" -gt 0 ]; then
  content_digest="sha-256=:$(openssl dgst -sha256 -binary < "$scratch/body" | openssl base64 -A):"
fi

# --- The private key ---

if [ -n "$private_key" ]; then
  [ -z "$private_key_file" ] \
    || stop private_key_invalid 'set COUNTERSIGN_PRIVATE_KEY_FILE or COUNTERSIGN_PRIVATE_KEY, not both'
else
  [ -n "$private_key_file" ] \
    || stop private_key_invalid 'set COUNTERSIGN_PRIVATE_KEY_FILE to the file of the private key'
  if [ -d "$private_key_file" ] || ! private_key=$(cat -- "$private_key_file" 2> /dev/null); then
    stop private_key_invalid "the private key $private_key_file cannot be read"
  fi
fi
if [ -n "${PASSPHRASE_FILE:-}" ]; then
  [ -r "$PASSPHRASE_FILE" ] || stop private_key_invalid "the passphrase file $PASSPHRASE_FILE cannot be read"
  # A last line without a line feed is a line too.
  IFS= read -r passphrase < "$PASSPHRASE_FILE" || [ -n "$passphrase" ] \
    || stop private_key_invalid "the passphrase file $PASSPHRASE_FILE is empty"
fi

# A byte order mark, as some editors write one, is no part of the key.
private_key=${private_key#"$(printf '\357\273\277')"}
# openssl ecparam writes the curve's parameters before the key, which has them too.
case $private_key in
  *'-----BEGIN EC PARAMETERS-----'*'-----END EC PARAMETERS-----'*)
    private_key=${private_key%%'-----BEGIN EC PARAMETERS-----'*}${private_key#*'-----END EC PARAMETERS-----'}
    ;;
esac
# Bare Base64 gets the label that belongs to its encoding, which shows in the first bytes: a sequence, whose length takes one
# to three bytes, of a version and an algorithm (PKCS#8), the modulus (PKCS#1) or the private key (SEC 1).
case $private_key in
  *'-----BEGIN '*'-----BEGIN '*) stop private_key_invalid 'the text contains more than one key: use exactly one private key' ;;
  *'-----BEGIN OPENSSH PRIVATE KEY-----'*)
    stop private_key_invalid \
      'OpenSSH private keys are not supported: convert a copy of the file with ssh-keygen -p -m PKCS8 -f copy-of-key'
    ;;
  *'-----BEGIN '*'PUBLIC KEY-----'* | *'-----BEGIN CERTIFICATE-----'*)
    stop private_key_invalid 'this is a public key or a certificate, which cannot sign: use the private key instead'
    ;;
  *'-----BEGIN '*) ;;
  *)
    base64=$(printf '%s' "$private_key" | tr -d '[:space:]')
    case $base64 in
      '') stop private_key_invalid 'there is no key in the text' ;;
      *[!A-Za-z0-9+/=]*) stop private_key_invalid 'the private key is neither PEM nor Base64' ;;
      M??CAQAw* | M??CAQEw* | MI[GH]?AgEAM* | MII?????AD*) label='PRIVATE KEY' ;;
      MII?????AAKC*) label='RSA PRIVATE KEY' ;;
      M??CAQEE* | MI[GH]?AgEBB* | MII?????AQQ*) label='EC PRIVATE KEY' ;;
      *) label='ENCRYPTED PRIVATE KEY' ;;
    esac
    private_key="-----BEGIN $label-----
$(printf '%s\n' "$base64" | fold -w 64)
-----END $label-----"
    ;;
esac
case $private_key in *ENCRYPTED*)
  [ -n "$passphrase" ] || stop private_key_invalid 'the private key is encrypted: set PASSPHRASE_FILE or COUNTERSIGN_PASSPHRASE'
  ;;
esac

# Runs openssl with the private key on its standard input, and the passphrase where no other program sees it.
with_key() {
  command=$1
  shift
  printf '%s\n' "$private_key" \
    | COUNTERSIGN_PASSPHRASE=$passphrase openssl "$command" -passin env:COUNTERSIGN_PASSPHRASE "$@"
}

stop_damaged() {
  stop private_key_invalid 'the private key is damaged or incomplete: use the whole key file'
}

# Says what the profile is signed with, or $1 for the closed profile.
stop_kind() {
  [ "$profile" = closed_profile ] || set -- "Web Bot Auth is signed with an Ed25519 or ECDSA P-256 key here: create one with \
openssl ecparam -name prime256v1 -genkey -noout -out private.pem"
  stop private_key_invalid "$1"
}

# The kind of key shows in the first bytes of the public key.
public_key=$(with_key pkey -pubout 2> /dev/null | tr -d '\n') || public_key=
case $public_key in
  # A length of two bytes, as from about 2048 bits on; rsaEncryption (1.2.840.113549.1.1.1); the exponent 65537, whose
  # Base64 depends on the length.
  *ANBgkqhkiG9w0BAQEFAAOC*IDAQAB-----END* | *ANBgkqhkiG9w0BAQEFAAOC*AgMBAAE=-----END* | *ANBgkqhkiG9w0BAQEFAAOC*CAwEAAQ==-----END*)
    algorithm=rsa-v1_5-sha256
    ;;
  # 1.3.101.112
  *-----MCowBQYDK2VwAyEA*) algorithm=ed25519 ;;
  # id-ecPublicKey (1.2.840.10045.2.1) with the name of the curve, then the point, in any form.
  *-----M??wEwYHKoZIzj0CAQYIKoZIzj0DAQcD*) algorithm=ecdsa-p256-sha256 ;;
  *-----M??wEAYHKoZIzj0CAQYFK4EEACID*) algorithm=ecdsa-p384-sha384 ;;
  '')
    case $private_key in
      *ENCRYPTED*) stop private_key_invalid 'the passphrase is wrong, or the private key is damaged' ;;
      *) stop_damaged ;;
    esac
    ;;
  # rsaEncryption, wherever it stands in the groups of three bytes.
  *w0BAQEFA* | *DQEBAQUA* | *NAQEBBQAD*)
    stop_kind \
      'an RSA key must have at least 2048 bits and the exponent 65537: create one with openssl genrsa -out private.pem 3072'
    ;;
  # prime-field (1.2.840.10045.1.1), which only a curve that is written out has; the same.
  *KoZIzj0BAQ* | *qGSM49AQEC* | *qhkjOPQEB*)
    case $private_key in *ENCRYPTED*) protection='-v2 aes-256-cbc' ;; *) protection=-nocrypt ;; esac
    stop private_key_invalid "the private key writes out the parameters of its curve instead of naming it: convert it with \
openssl ec -param_enc named_curve -in old.pem | openssl pkcs8 -topk8 $protection -out new.pem"
    ;;
  *)
    stop_kind \
      'the key is not an RSA, Ed25519 or ECDSA key (P-256 or P-384): create one with openssl genrsa -out private.pem 3072'
    ;;
esac

# With these keys, openssl would sign even if the private half is out of range or does not belong to the public half.
# Only the text of the check tells: OpenSSL 1.1.1 writes it to standard output, with the exit code 0, and 3.0 to standard error.
case $algorithm in ecdsa-*)
  case $(with_key pkey -check -noout 2>&1) in *'Key is invalid'*) stop_damaged ;; esac
  ;;
esac

base64url() {
  openssl base64 -A | tr '/+' '_-' | tr -d '='
}

# Prints the 32 bytes of the public key from $1 on.
coordinate() {
  dd if="$scratch/public" bs=1 skip="$1" count=32 2> /dev/null | base64url
}

# Sets keyid to the JWK thumbprint of the public key (RFC 7638 section 3, for Ed25519 RFC 8037 appendix A.3). Its DER ends
# with the 32 bytes of Ed25519, or with x and y, whatever form the point has in the private key.
compute_thumbprint() {
  case $algorithm in
    ed25519)
      with_key pkey -pubout -outform DER > "$scratch/public" 2> /dev/null || stop_damaged
      jwk="{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"$(coordinate 12)\"}"
      ;;
    ecdsa-p256-sha256)
      with_key ec -conv_form uncompressed -pubout -outform DER > "$scratch/public" 2> /dev/null || stop_damaged
      jwk="{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"$(coordinate 27)\",\"y\":\"$(coordinate 59)\"}"
      ;;
    *) stop_kind '' ;;
  esac
  keyid=$(printf '%s' "$jwk" | openssl dgst -sha256 -binary | base64url)
}

[ "$profile" = closed_profile ] || compute_thumbprint

# --- Time ---

two_digits() {
  if [ "$1" -lt 10 ]; then printf '0%s' "$1"; else printf '%s' "$1"; fi
}

# Prints Unix seconds as an IMF-fixdate (RFC 9110 section 5.6.7). date(1) can do this only with options that differ
# between systems. The calendar is counted in eras of 400 years that begin on 1 March.
# shellcheck disable=SC2017 # the divisions are meant to round down
http_date() {
  days=$(($1 / 86400))
  seconds=$(($1 % 86400))
  era_day=$(((days + 719468) % 146097))
  era_year=$(((era_day - era_day / 1460 + era_day / 36524 - era_day / 146096) / 365))
  year_day=$((era_day - (365 * era_year + era_year / 4 - era_year / 100)))
  march_month=$(((5 * year_day + 2) / 153))
  day=$((year_day - (153 * march_month + 2) / 5 + 1))
  year=$(((days + 719468) / 146097 * 400 + era_year + (march_month > 9 ? 1 : 0)))
  time=$(two_digits $((seconds / 3600))):$(two_digits $((seconds / 60 % 60))):$(two_digits $((seconds % 60)))
  set -- Mar Apr May Jun Jul Aug Sep Oct Nov Dec Jan Feb
  shift "$march_month"
  month=$1
  set -- Thu Fri Sat Sun Mon Tue Wed
  shift $((days % 7))
  printf '%s, %s %s %s %s GMT' "$1" "$(two_digits "$day")" "$month" "$year" "$time"
}

# Prints a time like 2026-11-21T00:01:58.000Z as Unix seconds; fails for any other text.
# shellcheck disable=SC2017 # the same
unix_seconds() {
  case $1 in
    [0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]*Z) ;;
    *) return 1 ;;
  esac
  # Without their leading zeros: the shell would take 08 for a malformed octal number.
  set -- "$(printf '%s' "$1" | tr -c '0-9\n' ' ' | sed 's/ 0\([0-9]\)/ \1/g')"
  # shellcheck disable=SC2086 # to be split into numbers
  set -- $1
  year=$(($1 - ($2 <= 2 ? 1 : 0)))
  era_year=$((year % 400))
  year_day=$(((153 * ($2 + ($2 > 2 ? -3 : 9)) + 2) / 5 + $3 - 1))
  days=$((year / 400 * 146097 + era_year * 365 + era_year / 4 - era_year / 100 + year_day - 719468))
  printf '%s' $((days * 86400 + $4 * 3600 + $5 * 60 + $6))
}

now() {
  printf '%s' $((${COUNTERSIGN_NOW:-$(date +%s)} + correction_seconds))
}

# --- Never the same signature twice ---

# Equal requests of one second would have one signature, or with ECDSA several that count as one, and the service takes
# the second request for a replay. One file HASH.SECOND, created exclusively, stands for each signature.

temporary=${TMPDIR:-/tmp}
default_folder=${temporary%/}/countersign-$(id -u)
folder=${SHARED_FOLDER:-$default_folder}

open_folder() {
  mkdir -p "$folder" 2> /dev/null || :
  if [ ! -d "$folder" ] || [ ! -w "$folder" ]; then
    stop signing_failed "$folder is not a folder to write to: set SHARED_FOLDER to another one, or to none"
  fi
  [ "$folder" = "$default_folder" ] || return 0
  # Anyone may create files in the temporary directory, so it must be ours and closed to others.
  # shellcheck disable=SC2012 # one name, which is known
  owner=$(ls -ldn "$folder" | awk '{ print substr($1, 1, 10), $3 }')
  [ "$owner" = "drwx------ $(id -u)" ] \
    || stop signing_failed "$folder is not a folder of this user with mode 0700: remove it, or set SHARED_FOLDER"
}

# Deletes old files, once a minute for all processes.
clean_folder() {
  [ -z "$(find "$folder/.cleaned" -mmin -1 2> /dev/null)" ] || return 0
  : > "$folder/.cleaned"
  find "$folder" -type f -name '*.[0-9]*' -mmin "+$remember_minutes" -exec rm -f {} + 2> /dev/null || :
}

is_read() {
  case $method in GET | HEAD | OPTIONS) return 0 ;; *) return 1 ;; esac
}

# Sets created to a second in which no equal request was signed. Reads share the present one, as services allow, until the
# service rejects one for it. When all seconds are taken, waits for the next one, and fails if the clock stands still.
take_second() {
  waits=0
  until take_free_second; do
    before=$(now)
    [ "$waits" -eq "$waits_max" ] || sleep 1
    if [ "$waits" -eq "$waits_max" ] || [ "$(now)" = "$before" ]; then
      stop too_many_equal_requests \
        "more than $ahead_seconds_max identical requests ahead: at most one a second can be signed in the long run"
    fi
    waits=$((waits + 1))
  done
}

take_free_second() {
  created=$(now)
  if [ "$folder" = none ] || [ "$with_nonce" = true ]; then return 0; fi
  open_folder
  hash=$(printf '%s\0%s\0%s\0%s' "$client_id" "$method" "$url" "$content_digest" | openssl dgst -sha256 -r | cut -c 1-32)
  last=$((created + ahead_seconds_max))
  until (set -C && : > "$folder/$hash.$created") 2> /dev/null; do
    [ -e "$folder/$hash.$created" ] || stop signing_failed "no file can be created in $folder"
    [ "$shares_seconds" = false ] || ! is_read || break
    created=$((created + 1))
    [ "$created" -le "$last" ] || return 1
  done
  clean_folder
}

# --- Signing ---

# Writes the signature base and the headers for the second in created.
sign() {
  key_params="keyid=\"$keyid\";alg=\"$algorithm\""
  components=
  : > "$scratch/base"
  : > "$scratch/headers"
  "$profile"
  params="($components);$params"
  # The lines of the base have a line feed between them and none at the end (RFC 9421 section 2.5).
  printf '"@signature-params": %s' "$params" >> "$scratch/base"

  write_signature 2> /dev/null || stop_unsigned

  add_header Signature-Input "sig=$params"
  add_header Signature "sig=:$(openssl base64 -A -in "$scratch/signature"):"
}

# docs/profile.md
closed_profile() {
  http_date=${COUNTERSIGN_DATE:-$(http_date "$created")}

  cover '"@method"' "$method"
  cover '"@target-uri"' "$url"
  cover_digest
  if [ "$cover_date" = true ]; then
    cover '"date"' "$http_date"
    add_header Date "$http_date"
  fi
  params="created=$created;$key_params"
  [ "$with_nonce" = false ] || params="$params;nonce=\"$(openssl rand -hex 16)\""
}

# docs/message-profiles.md#web-bot-auth-01
web_bot_auth() {
  nonce=$(openssl rand -base64 32) || stop signing_failed 'openssl rand made no nonce'

  cover '"@authority"' "$authority"
  cover '"@method"' "$method"
  cover '"@target-uri"' "$url"
  cover_digest
  cover '"signature-agent";key="sig"' "\"$signature_agent\""
  add_header Signature-Agent "sig=\"$signature_agent\""
  params="created=$created;expires=$((created + agent_seconds));$key_params;nonce=\"$nonce\";tag=\"web-bot-auth\""
}

# Adds a component with its value.
cover() {
  components="$components${components:+ }$1"
  printf '%s: %s\n' "$1" "$2" >> "$scratch/base"
}

cover_digest() {
  [ -n "$content_digest" ] || return 0
  cover '"content-digest"' "$content_digest"
  add_header Content-Digest "$content_digest"
}

add_header() {
  printf '%s: %s\n' "$1" "$2" >> "$scratch/headers"
}

# Signs the base. With an RSA key, dgst makes RSASSA-PKCS1-v1_5. Ed25519 takes the whole base, from a file: pkeyutl must know
# its length first.
write_signature() {
  case $algorithm in
    rsa-v1_5-sha256) with_key dgst -sha256 -sign /dev/stdin -out "$scratch/signature" "$scratch/base" ;;
    ed25519) with_key pkeyutl -sign -rawin -inkey /dev/stdin -in "$scratch/base" -out "$scratch/signature" ;;
    ecdsa-p256-sha256) with_key dgst -sha256 -sign /dev/stdin -out "$scratch/der" "$scratch/base" && write_r_and_s 64 ;;
    ecdsa-p384-sha384) with_key dgst -sha384 -sign /dev/stdin -out "$scratch/der" "$scratch/base" && write_r_and_s 96 ;;
    *) return 1 ;;
  esac
}

# Turns the DER of an ECDSA signature into r and s, $1 bytes in all (RFC 9421 sections 3.3.4 and 3.3.5).
write_r_and_s() {
  # Of each number: half of the bytes, two digits for a byte.
  digits=$1
  # shellcheck disable=SC2046 # to be split into the two numbers
  set -- $(openssl asn1parse -inform DER -in "$scratch/der" | sed -n 's/.*: INTEGER *:\([0-9A-F]*\)$/\1/p')
  [ $# -eq 2 ] && [ ${#1} -le "$digits" ] && [ ${#2} -le "$digits" ] || return 1
  numbers=$(printf "%${digits}s%${digits}s" "$1" "$2" | tr ' ' 0)
  # An octal escape for each byte, as every printf knows them.
  # shellcheck disable=SC2046,SC2059 # one argument for each byte; the format is these escapes and nothing else
  printf "$(printf '\\%03o' $(printf '%s\n' "$numbers" | sed 's/../0x& /g'))" > "$scratch/signature"
  [ $(($(wc -c < "$scratch/signature"))) -eq "$digits" ]
}

stop_unsigned() {
  if [ "$algorithm" = ed25519 ] && ! openssl pkeyutl -help 2>&1 | grep -q -e -rawin; then
    stop signing_failed "$(openssl version) cannot sign with an Ed25519 key: use OpenSSL 3.0 or newer, or $other_keys"
  fi
  stop signing_failed 'openssl could not sign with the private key: check it with openssl pkey -check'
}

# --- Sending ---

# Sends exactly what was signed. --path-as-is and --globoff keep curl from rewriting the URL, --data-binary keeps it from
# changing the body, and without its configuration file it follows no redirect with this signature.
send() {
  set -- --disable --silent --show-error --path-as-is --globoff \
    --header "@$scratch/headers" --header "@$scratch/given-headers"
  if [ "$method" = HEAD ]; then
    set -- "$@" --head
  else
    set -- "$@" --request "$method"
  fi
  if [ "$body_bytes" -gt 0 ]; then
    [ "${CONTENT_TYPE:-}" = given ] || set -- "$@" --header "Content-Type: ${CONTENT_TYPE:-application/json}"
    set -- "$@" --data-binary "@$scratch/body"
  elif [ "$method" = POST ] || [ "$method" = PUT ] || [ "$method" = PATCH ]; then
    # Says "Content-Length: 0", and nothing of a form.
    [ "${CONTENT_TYPE:-}" = given ] || set -- "$@" --header 'Content-Type:'
    set -- "$@" --data-binary ''
  fi
  : > "$scratch/response"
  written=$(curl "$@" --output "$scratch/response" --write-out '%{http_code} %{content_type}' "$url")
  status=${written%% *}
  read_refusal "${written#* }"
}

# Prints a text member of the problem document.
member() {
  awk -v name="$1" '
    { text = text $0 }
    END {
      if (!match(text, "\"" name "\"[ \t]*:[ \t]*\"([^\"\\\\]|\\\\.)*\"")) exit
      found = substr(text, RSTART, RLENGTH - 1)
      sub("^\"" name "\"[ \t]*:[ \t]*\"", "", found)
      gsub(/\\"/, "\"", found)
      gsub(/[[:cntrl:]]/, "", found)
      print found
    }' "$scratch/response"
}

# Sets code if the response is a refusal of the service, which names the page of its code. Others are the API's own.
read_refusal() {
  code=
  [ "$status" -ge 400 ] || return 0
  case $1 in application/problem+json*) ;; *) return 0 ;; esac
  if [ "$method" = HEAD ]; then
    # There is no body, and the response is the headers.
    code=$(tr -d '\r' < "$scratch/response" \
      | sed -n 's/^[Ww][Ww][Ww]-[Aa]uthenticate: Signature error="\([a-z_]*\)"$/\1/p')
    return 0
  fi
  code=$(member code)
  case $code in '' | *[!a-z_]*) code= ;; esac
  case $(member type) in */docs/errors#"$code") ;; *) code= ;; esac
}

show_refusal() {
  reason=$(member reason)
  request_id=$(member requestId)
  printf '%s: %s\n' "$code" "${reason:-$(member title)}" >&2
  advice=$(member detail)
  [ -z "$advice" ] || printf 'Advice: %s\n' "$advice" >&2
  [ -z "$request_id" ] || printf 'Request ID: %s\n' "$request_id" >&2
}

# Takes over the service's time if that is why it refused the request; fails if it is not.
correct_clock() {
  case $code in created_expired | created_in_future | date_mismatch) ;; *) return 1 ;; esac
  server_seconds=$(unix_seconds "$(member serverTime)") || return 1
  difference=$((server_seconds - $(now)))
  [ "${difference#-}" -le "$correction_seconds_max" ] || return 1
  correction_seconds=$difference
}

# Each read has a second of its own if the service rejected one for sharing it.
change_second() {
  [ "$folder" != none ] && [ "$code" = signature_replayed ] && is_read && [ "$shares_seconds" = true ] || return 1
  shares_seconds=false
}

correction_seconds=0
shares_seconds=true
take_second
sign
if [ "$dry_run" = true ]; then
  printf '%s %s\n' "$method" "$url"
  cat "$scratch/headers" "$scratch/given-headers"
  printf '\n%s\n' "$(cat "$scratch/base")"
  exit 0
fi
send
# Once: a clock that is still wrong after that is not the reason.
if correct_clock; then
  printf 'countersign.sh: the clock differs from that of the service by %s s: signing again\n' "$correction_seconds" >&2
  take_second
  sign
  send
fi

if change_second; then
  take_second; sign; send
fi

printf 'HTTP status %s\n' "$status" >&2
[ -z "$code" ] || show_refusal
cat "$scratch/response"
[ "$status" -lt 400 ] || exit 1
