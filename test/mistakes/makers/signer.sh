#!/usr/bin/env bash
# Signs and sends one request as it is written with openssl and curl, and makes the mistakes that it is told to make.
# Environment: JOB, SLIPS (words), METHOD, URL, BODY_FILE (may be empty), CONTENT_TYPE, CLIENT_ID, KEY_FILE, CLOCK, PORT, BASE_FILE.
set -euo pipefail
export LC_ALL=C
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
done_slips=' '

# Whether this mistake is made. What is asked for and never met is an error of the plan.
has() {
  case " $SLIPS " in *" $1 "*) done_slips="$done_slips$1 " ;; *) return 1 ;; esac
}

scheme=${URL%%://*}
rest=${URL#*://}
host=${rest%%/*}
path_and_query=/${rest#*/}
path=${path_and_query%%\?*}
query=
case $path_and_query in *\?*) query="?${path_and_query#*\?}" ;; esac

signed_query=$query
# An unquoted & ends the command: what follows it is another one.
if has unquoted_ampersand; then signed_query=${query%%&*}; fi
if has query_added_to_curl; then signed_query=; fi
if has http_in_script; then scheme=http; fi
signed_host=$host
if has port_in_variable; then signed_host=$host:443; fi
if has host_from_certificate; then signed_host=$(printf '%s' "$host" | tr '[:lower:]' '[:upper:]'); fi
origin=$scheme://$signed_host
if has inside_address; then origin=http://10.0.3.7:8080; fi
if has slash_in_base_url; then origin=$origin/; fi
signed_url=$origin$path$signed_query
if has only_path; then signed_url=$path; fi
if has path_with_query; then signed_url=$path$signed_query; fi
if has slash_at_end; then signed_url=$signed_url/; fi
# curl takes ./ and ../ out of the path before it sends it.
if has dots_for_curl; then signed_url=$scheme://$host/v1/./${path#/v1/}$query; fi
if has parent_for_curl; then signed_url=$scheme://$host/v1/../v1/${path#/v1/}$query; fi
if has anchor_from_page; then signed_url=$signed_url#list; fi
if has spaces_decoded; then signed_url=$(printf '%s' "$signed_url" | sed 's/%20/ /g'); fi
if has plus_for_spaces; then signed_url=$(printf '%s' "$signed_url" | sed 's/%20/+/g'); fi
if has brackets_decoded; then signed_url=$(printf '%s' "$signed_url" | sed 's/%5B/[/g; s/%5D/]/g'); fi
if has small_hex; then signed_url=$(printf '%s' "$signed_url" | sed 's/%\([0-9A-F][0-9A-F]\)/%\L\1/g'); fi
if has question_mark_left; then signed_url=$signed_url?; fi

method=$METHOD
if has small_method; then method=$(printf '%s' "$METHOD" | tr '[:upper:]' '[:lower:]'); fi
# curl --data makes a POST of it, the script still signs its default; -I makes a HEAD.
if has signs_get; then method=GET; fi

sent=$scratch/sent
hashed=$scratch/hashed
: > "$sent"
[ -z "$BODY_FILE" ] || cat "$BODY_FILE" > "$sent"
cp "$sent" "$hashed"
# --data @file of curl takes all line ends out.
if has curl_data; then tr -d '\r\n' < "$BODY_FILE" > "$sent"; fi
if has echo_body; then echo "$(cat "$BODY_FILE")" > "$hashed"; fi
if has body_without_last_line_end; then printf '%s' "$(cat "$BODY_FILE")" > "$hashed"; fi
if has unix2dos; then sed 's/$/\r/' "$BODY_FILE" > "$hashed"; fi
if has iconv_latin1; then iconv -f UTF-8 -t ISO-8859-1//TRANSLIT "$BODY_FILE" > "$hashed"; fi
if has jq_pretty; then python3 -c 'import json,sys; print(json.dumps(json.load(open(sys.argv[1])), indent=2, ensure_ascii=False))' "$BODY_FILE" > "$hashed"; fi
if has jq_sorted; then python3 -c 'import json,sys; sys.stdout.write(json.dumps(json.load(open(sys.argv[1])), sort_keys=True, separators=(",", ":"), ensure_ascii=False))' "$BODY_FILE" > "$hashed"; fi
if has gzip_sent; then gzip -n < "$BODY_FILE" > "$sent"; fi
if has empty_variable; then : > "$hashed"; fi
if has file_name; then printf 'payment.json' > "$hashed"; fi

content_digest=
if [ -s "$sent" ]; then
  digest=$(openssl dgst -sha256 -binary < "$hashed" | openssl base64 -A)
  if has digest_sha512; then digest=$(openssl dgst -sha512 -binary < "$hashed" | openssl base64 -A); fi
  if has digest_md5; then digest=$(openssl dgst -md5 -binary < "$hashed" | openssl base64 -A); fi
  if has sha256sum; then digest=$(sha256sum < "$hashed" | cut -d' ' -f1); fi
  if has sha256sum_base64; then digest=$(sha256sum < "$hashed" | cut -d' ' -f1 | tr -d '\n' | base64 -w0); fi
  # sha256sum | base64 takes the name of the file and the line end with it.
  if has sha256sum_line_base64; then digest=$(sha256sum < "$hashed" | base64 -w0); fi
  if has digest_base64_again; then digest=$(printf '%s' "$digest" | base64 -w0); fi
  if has digest_url_alphabet; then digest=$(printf '%s' "$digest" | tr '+/' '-_' | tr -d '='); fi
  content_digest="sha-256=:$digest:"
  if has digest_of_before; then content_digest="SHA-256=$digest"; fi
  if has digest_unwrapped; then content_digest="sha-256=$digest"; fi
fi

created=$CLOCK
if has date_with_nanoseconds; then created=$CLOCK.483920117; fi
if has date_milliseconds; then created=${CLOCK}483; fi
# The hardware clock is set to local time, the system believes that it is UTC.
if has hardware_clock; then created=$((CLOCK + 3600)); fi
format='+%a, %d %b %Y %H:%M:%S GMT'
date=$(TZ=UTC date -d "@$created" "$format" 2> /dev/null || TZ=UTC date -d "@$CLOCK" "$format")
if has date_milliseconds || has date_with_nanoseconds; then date=$(TZ=UTC date -d "@$CLOCK" "$format"); fi
if has date_without_u; then date=$(TZ=Asia/Kolkata date -d "@$CLOCK" "$format"); fi
if has date_R; then date=$(TZ=UTC date -R -d "@$CLOCK"); fi
if has date_R_local; then date=$(TZ=Asia/Kolkata date -R -d "@$CLOCK"); fi
if has date_plain; then date=$(TZ=UTC date -d "@$CLOCK" '+%a %b %e %H:%M:%S UTC %Y'); fi
if has date_rfc3339; then date=$(TZ=UTC date --rfc-3339=seconds -d "@$CLOCK"); fi

components='"@method" "@target-uri"'
[ -z "$content_digest" ] || components="$components \"content-digest\""
components="$components \"date\""
params="($components);created=$created;keyid=\"$CLIENT_ID\";alg=\"rsa-v1_5-sha256\""

signed_date=$date
if has date_called_twice; then signed_date=$(TZ=UTC date -d "@$((CLOCK - 1))" "$format"); fi
signed_params=$params
if has label_kept; then signed_params="sig=$params"; fi
if has header_kept; then signed_params="Signature-Input: sig=$params"; fi
# Quotes inside of an unquoted text are lost in the shell.
if has quotes_lost; then signed_params=$(printf '%s' "$params" | tr -d '"'); fi
if has keyid_first; then signed_params="($components);keyid=\"$CLIENT_ID\";created=$created;alg=\"rsa-v1_5-sha256\""; fi
q='"'
if has names_unquoted; then q=; fi
colon=': '
if has no_space; then colon=':'; fi
lines=("$q@method$q$colon$method" "$q@target-uri$q$colon$signed_url")
if has target_line; then lines[1]="\"@request-target\": $path$query"; fi
[ -z "$content_digest" ] || lines+=("${q}content-digest$q$colon$content_digest")
if ! has no_date; then lines+=("${q}date$q$colon$signed_date"); fi
if ! has no_params; then lines+=("$q@signature-params$q$colon$signed_params"); fi
if has method_last; then lines=("${lines[1]}" "${lines[0]}" "${lines[@]:2}"); fi
if has old_lines; then
  lines=("(request-target): $(printf '%s' "$METHOD" | tr '[:upper:]' '[:lower:]') $path$query" "host: $host" "date: $date")
  digest_line=${content_digest/sha-256=:/SHA-256=}
  [ -z "$content_digest" ] || lines+=("digest: ${digest_line%:}")
fi
end=$'\n'
if has script_with_crlf; then end=$'\r\n'; fi
# In double quotes \n is no line end for the shell.
if has backslash_n; then end='\n'; fi
base=
for line in "${lines[@]}"; do base="$base${base:+$end}$line"; done
printf '%s' "$base" > "$BASE_FILE"
if has echo_base; then echo "$base" > "$BASE_FILE"; fi
if has here_document_crlf; then printf '%s\r\n' "$base" > "$BASE_FILE"; fi
if has one_line_crlf; then printf '%s' "${base/$'\n'/$'\r\n'}" > "$BASE_FILE"; fi

in=$BASE_FILE
out=$scratch/signature
openssl dgst -sha256 -binary "$in" > "$scratch/hash"
openssl dgst -sha256 -sign "$KEY_FILE" -out "$out" "$in"
if has dgst_default_sha1; then openssl dgst -sha1 -sign "$KEY_FILE" -out "$out" "$in"; fi
if has dgst_md5; then openssl dgst -md5 -sign "$KEY_FILE" -out "$out" "$in"; fi
if has dgst_sha384; then openssl dgst -sha384 -sign "$KEY_FILE" -out "$out" "$in"; fi
if has dgst_sha512; then openssl dgst -sha512 -sign "$KEY_FILE" -out "$out" "$in"; fi
if has sigopt_pss; then openssl dgst -sha256 -sign "$KEY_FILE" -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest -out "$out" "$in"; fi
if has pkeyutl; then openssl pkeyutl -sign -inkey "$KEY_FILE" -in "$scratch/hash" -out "$out"; fi
if has rsautl; then openssl rsautl -sign -inkey "$KEY_FILE" -in "$scratch/hash" -out "$out" 2> /dev/null; fi
if has dgst_twice; then openssl dgst -sha256 -sign "$KEY_FILE" -out "$out" "$scratch/hash"; fi
if has dgst_of_hex; then openssl dgst -sha256 -hex "$in" | sed 's/^.*= //' | tr -d '\n' | openssl dgst -sha256 -sign "$KEY_FILE" -out "$out"; fi
if has dgst_of_hex_line; then openssl dgst -sha256 -hex "$in" | sed 's/^.*= //' | openssl dgst -sha256 -sign "$KEY_FILE" -out "$out"; fi
if has dgst_of_base64; then base64 -w0 < "$scratch/hash" | openssl dgst -sha256 -sign "$KEY_FILE" -out "$out"; fi

signature=$(openssl base64 -A -in "$out")
if has base64_wrapped; then signature=$(openssl base64 -in "$out" | tr '\n' ' '); fi
if has base64_first_line; then signature=$(openssl base64 -in "$out" | head -2 | tr -d '\n'); fi
if has dgst_hex; then signature=$(openssl dgst -sha256 -hex -sign "$KEY_FILE" "$in" | sed 's/^.*= //'); fi
if has xxd; then signature=$(od -An -v -tx1 "$out" | tr -d ' \n' | tr '[:lower:]' '[:upper:]'); fi
if has base64_base64; then signature=$(base64 -w0 "$out" | base64 -w0); fi
if has base64_url; then signature=$(printf '%s' "$signature" | tr '+/' '-_' | tr -d '='); fi

label=sig
if has label_sig1; then label=sig1; fi
if has date_later; then date=$(TZ=UTC date -d "@$((CLOCK + 1))" "$format"); fi
set -- --silent --show-error --globoff --header 'User-Agent: curl' --header "Signature-Input: $label=$params"
signature_header="Signature: $label=:$signature:"
if has unwrapped; then signature_header="Signature: $label=$signature"; fi
if has x_signature; then signature_header="X-$signature_header"; fi
if has signature_in_authorization; then
  set -- --silent --show-error --globoff --header 'User-Agent: curl'
  signature_header="Authorization: Signature keyId=\"$CLIENT_ID\",algorithm=\"rsa-sha256\",headers=\"(request-target) host date\",signature=\"$signature\""
fi
set -- "$@" --header "$signature_header"
if ! has date_header_left_out; then set -- "$@" --header "Date: $date"; fi
if has date_header_doubled; then set -- "$@" --header "Date: $date"; fi
if [ "$METHOD" = HEAD ]; then set -- "$@" --head; else set -- "$@" --request "$METHOD"; fi
if [ -s "$sent" ]; then
  if ! has digest_header_left_out; then set -- "$@" --header "Content-Digest: $content_digest"; fi
  set -- "$@" --header "Content-Type: $CONTENT_TYPE" --data-binary "@$sent"
  case " $SLIPS " in *' gzip_sent '*) set -- "$@" --header 'Content-Encoding: gzip' ;; esac
elif [ "$METHOD" = POST ]; then
  set -- "$@" --header 'Content-Type:' --data-binary ''
fi
called=http://${URL#*://}
if has raw_letters_for_curl; then called=$(printf '%s' "$called" | sed 's/%C3%BC/ü/g'); fi
case " $SLIPS " in *dots_for_curl* | *parent_for_curl*) called=http://${signed_url#*://} ;; esac
curl "$@" --proxy "http://127.0.0.1:$PORT" --output /dev/null "$called"
for slip in $SLIPS; do
  case $done_slips in *" $slip "*) ;; *) printf '%s: not made: %s\n' "$JOB" "$slip" >&2; exit 1 ;; esac
done
