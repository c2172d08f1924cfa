#!/usr/bin/env bash
# Sends planned requests with command-line clients. One JSON document per line: a job in, what its author holds out, the
# headers in, the outcome out.
set -u

encoded() { base64 -w0; }

# An array of JSON names for the commands that are here.
present() {
  for name in "$@"; do command -v "${name%% *}" >/dev/null && printf '%s\n' "$name"; done | jq -Rsc 'split("\n")[:-1]'
}

serialised() {
  case $1 in
    'jq') jq . <<<"$2" ;;
    'jq -c') jq -c . <<<"$2" ;;
    'jq -S') jq -S . <<<"$2" ;;
    'jq -cS') jq -cS . <<<"$2" ;;
    'jq -ca') jq -ca . <<<"$2" ;;
    'jq --tab') jq --tab . <<<"$2" ;;
    'jq -j') jq -cj . <<<"$2" ;;
    'python3 -m json.tool') python3 -m json.tool <<<"$2" ;;
    'printf') printf '%s' "$2" ;;
    'echo') printf '%s\n' "$2" ;;
  esac
}

pairs() {
  case $1 in
    naive) jq -j '[.query[] | "\(.[0])=\(.[1])"] | join("&")' <<<"$job" ;;
    'jq @uri') jq -j '[.query[] | "\(.[0])=\(.[1] | @uri)"] | join("&")' <<<"$job" ;;
    'jq @uri all') jq -j '[.query[] | "\(.[0] | @uri)=\(.[1] | @uri)"] | join("&")' <<<"$job" ;;
  esac
}

# In a subshell, so that a variable can keep a final line end.
body_of() {
  case $way in
    json)
      if [[ -n $holds ]]; then printf '%s' "$holds"; else serialised "$1" "$data"; fi ;;
    form) pairs "$1" ;;
    *) jq -j .text <<<"$job" ;;
  esac
}

printf '{"clients":%s,"serialisers":%s,"queries":%s}\n' \
  "$(present curl 'curl file' 'curl ascii' wget http)" \
  "$(present 'jq' 'jq -c' 'jq -S' 'jq -cS' 'jq -ca' 'jq --tab' 'jq -j' 'python3 -m json.tool' 'printf' 'echo')" \
  '["naive","jq @uri","jq @uri all"]'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

while IFS= read -r job; do
  eval "$(jq -r '@sh "way=\(.way) signs=\(.signs // "") sends=\(.sends // "") method=\(.method // "")
    url=\(.url // "") client=\(.client // "") holds=\(.holds // "") data=\(.data | tojson)"' <<<"$job")"
  if [[ $way == serialise ]]; then
    printf '{"held":{"url":"","body":"%s"}}\n' "$(serialised "$signs" "$data" | encoded)"
    continue
  fi
  held_url=$url
  has_body=false
  if [[ $way == query ]]; then held_url="$url?$(pairs "$signs")"; fi
  if [[ $way == json || $way == form ]]; then has_body=true; body_of "$signs" >"$work/held"; fi
  if [[ $way == text ]]; then has_body=true; body_of '' >"$work/held"; fi
  cp "$work/held" "$work/sent" 2>/dev/null
  if [[ -n $sends ]]; then serialised "$sends" "$data" >"$work/sent"; fi
  if [[ $has_body == true ]]; then body="\"$(encoded <"$work/held")\""; else body=null; fi
  printf '{"held":{"url":%s,"body":%s}}\n' "$(jq -Rsc . < <(printf '%s' "$held_url"))" "$body"
  IFS= read -r headers
  mapfile -t lines < <(jq -r '.headers[] | "\(.[0]): \(.[1])"' <<<"$headers")
  mapfile -t names < <(jq -r '.query[]? | .[0]' <<<"$job")
  mapfile -t values < <(jq -r '.query[]? | .[1] | gsub("\n"; "\\n")' <<<"$job")
  arguments=()
  case $client in
    curl*)
      for line in "${lines[@]}"; do arguments+=(-H "$line"); done
      case $way in
        query) for at in "${!names[@]}"; do arguments+=(-G --data-urlencode "${names[at]}=${values[at]}"); done ;;
        form) for at in "${!names[@]}"; do arguments+=(--data-urlencode "${names[at]}=${values[at]}"); done ;;
        json | text)
          case $client in
            'curl file') arguments+=(-d "@$work/sent") ;;
            'curl ascii') arguments+=(--data-ascii "$(cat "$work/sent")") ;;
            curl) arguments+=(-d "$(cat "$work/sent")") ;;
          esac ;;
      esac
      if [[ $method == HEAD ]]; then arguments+=(-I); else arguments+=(-X "$method"); fi
      curl -sS -m 5 "${arguments[@]}" "$url" >/dev/null 2>"$work/error" ;;
    wget)
      for line in "${lines[@]}"; do arguments+=(--header "$line"); done
      if [[ $has_body == true ]]; then arguments+=(--body-data "$(cat "$work/sent")"); fi
      wget -q -t1 -T5 --max-redirect=0 -O /dev/null --method "$method" "${arguments[@]}" "$held_url" 2>"$work/error" ;;
    http)
      for line in "${lines[@]}"; do arguments+=("${line%%: *}:${line#*: }"); done
      case $way in
        query) for at in "${!names[@]}"; do arguments+=("${names[at]}==${values[at]}"); done ;;
        form) for at in "${!names[@]}"; do arguments+=("${names[at]}=${values[at]}"); done; arguments=(--form "${arguments[@]}") ;;
        json | text) arguments=(--raw "$(cat "$work/sent")" "${arguments[@]}") ;;
      esac
      http --ignore-stdin --timeout 5 "$method" "$url" "${arguments[@]}" >/dev/null 2>"$work/error" ;;
  esac
  if [[ -s $work/error ]]; then
    printf '{"error":%s}\n' "$(head -c 200 "$work/error" | jq -Rsc .)"
  else
    printf '{"sent":true}\n'
  fi
done
